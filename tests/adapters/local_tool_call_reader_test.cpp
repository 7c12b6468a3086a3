#include "adapters/local/tool_call_reader.hpp"

#include <boost/json.hpp>
#include <catch2/catch.hpp>

#include <map>
#include <vector>

namespace parley::adapters::local {
namespace {

// One call as a client puts it together.
struct whole_call {
  std::string id;
  std::string name;
  std::string arguments;
  friend bool operator==(const whole_call&, const whole_call&) = default;
  friend std::ostream& operator<<(std::ostream& out, const whole_call& one) {
    return out << one.id << ' ' << one.name << ' ' << one.arguments;
  }
};

// The calls of an answer whose deltas hold these members `tool_calls`.
std::vector<whole_call> calls_of(const std::vector<std::string>& deltas) {
  std::vector<whole_call> all;
  std::map<std::string, std::size_t> places;
  std::size_t over = 0;
  tool_call_reader reader("r1", [&](const runtime::model_tool_call& piece) {
    const auto [found, is_new] = places.emplace(piece.call.value, all.size());
    if (is_new) all.push_back({piece.call.value, piece.name, {}});
    CHECK(is_new == !piece.name.empty());
    all[found->second].arguments += piece.arguments_delta;
    over += piece.last ? 1 : 0;
  });
  for (const auto& delta : deltas) CHECK(reader.read(boost::json::parse(delta)));
  CHECK(reader.finish(true));
  CHECK(over == all.size());
  return all;
}

using calls = std::vector<whole_call>;

}  // namespace

TEST_CASE("F12: a new id opens a new call, whatever its index", "[adapters][tool_calls]") {
  // Without any index, one delta after the other and both in one.
  CHECK(calls_of({R"([{"id":"a","function":{"name":"f","arguments":"{\"x\":1}"}}])",
                  R"([{"id":"b","function":{"name":"g","arguments":"{\"y\":2}"}}])"}) ==
        calls{{"a", "f", R"({"x":1})"}, {"b", "g", R"({"y":2})"}});
  CHECK(calls_of({R"([{"id":"a","function":{"name":"f","arguments":"{}"}},
                      {"id":"b","function":{"name":"f","arguments":"{}"}}])"}) ==
        calls{{"a", "f", "{}"}, {"b", "f", "{}"}});
  // Both with index 0.
  CHECK(calls_of({R"([{"index":0,"id":"a","function":{"name":"f","arguments":"{"}}])",
                  R"([{"index":0,"function":{"arguments":"}"}}])",
                  R"([{"index":0,"id":"b","function":{"name":"f","arguments":"{"}}])",
                  R"([{"index":0,"function":{"arguments":"\"y\":2}"}}])"}) ==
        calls{{"a", "f", "{}"}, {"b", "f", R"({"y":2})"}});
}

TEST_CASE("F12: a call goes on without an id, with its id again, and with its name again", "[adapters][tool_calls]") {
  const auto* later =
      GENERATE(R"("index":0)", R"("index":0,"id":"a")", R"("index":0,"id":"")", R"("index":0,"id":null)", R"("id":"a")",
               R"("type":"function")", R"("index":7,"id":"a")");
  const auto* name = GENERATE("", R"("name":"f",)", R"("name":null,)", R"("name":"",)");
  if (std::string_view(later).find('7') != std::string_view::npos && std::string_view(name) == R"("name":"f",)") return;
  const auto piece = [&](const std::string& arguments) {
    return std::string("[{") + later + R"(,"function":{)" + name + R"("arguments":")" + arguments + "\"}}]";
  };
  CHECK(calls_of({R"([{"index":0,"id":"a","function":{"name":"f","arguments":""}}])", piece(R"({\"x\")"), piece(":1}"),
                  piece("")}) == calls{{"a", "f", R"({"x":1})"}});
}

TEST_CASE("F12: pieces of two calls in turn find their call by id or by index", "[adapters][tool_calls]") {
  const calls wanted{{"a", "f", "[12]"}, {"b", "g", "[34]"}};
  CHECK(
      calls_of(
          {R"([{"id":"a","function":{"name":"f","arguments":"["}},{"id":"b","function":{"name":"g","arguments":"["}}])",
           R"([{"id":"b","function":{"arguments":"3"}}])", R"([{"id":"a","function":{"arguments":"1"}}])",
           R"([{"function":{"arguments":"2]"}}])", R"([{"id":"b","function":{"arguments":"4]"}}])"}) == wanted);
  CHECK(calls_of({R"([{"index":0,"id":"a","function":{"name":"f","arguments":"["}}])",
                  R"([{"index":1,"id":"b","function":{"name":"g","arguments":"[3"}}])",
                  R"([{"index":0,"function":{"arguments":"12]"}},{"index":1,"function":{"arguments":"4]"}}])"}) ==
        wanted);
  CHECK(
      calls_of(
          {R"([{"id":"a","function":{"name":"f","arguments":"["}},{"id":"b","function":{"name":"g","arguments":"["}}])",
           R"([{"function":{"arguments":"12]"}},{"function":{"arguments":"34]"}}])"}) == wanted);
}

TEST_CASE("F12: indexes in another order mix nothing up", "[adapters][tool_calls]") {
  CHECK(calls_of({R"([{"index":1,"id":"b","function":{"name":"g","arguments":"{\"y\""}}])",
                  R"([{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\""}}])",
                  R"([{"index":1,"function":{"arguments":":2}"}}])",
                  R"([{"index":0,"function":{"arguments":":1}"}}])"}) ==
        calls{{"b", "g", R"({"y":2})"}, {"a", "f", R"({"x":1})"}});
}

TEST_CASE("F12: name and id may come late", "[adapters][tool_calls]") {
  CHECK(calls_of({R"([{"index":0,"function":{"arguments":"{\"x\""}}])", R"([{"index":0,"id":"a"}])",
                  R"([{"index":0,"function":{"name":"f","arguments":":1}"}}])"}) == calls{{"a", "f", R"({"x":1})"}});
  // The call has gone out under an id of ours by then.
  CHECK(calls_of({R"([{"index":0,"function":{"name":"f","arguments":"{"}}])",
                  R"([{"index":0,"id":"a","function":{"arguments":"}"}}])",
                  R"([{"index":0,"id":"b","function":{"name":"f","arguments":"{}"}}])"}) ==
        calls{{"call_r1_0", "f", "{}"}, {"b", "f", "{}"}});
}

TEST_CASE("F12: calls without ids are told apart by name and by what is whole", "[adapters][tool_calls]") {
  const calls two{{"call_r1_0", "f", R"({"x":"}"})"}, {"call_r1_1", "f", "{}"}};
  CHECK(calls_of({R"([{"function":{"name":"f","arguments":"{\"x\":\"}\"}"}}])",
                  R"([{"function":{"name":"f","arguments":"{}"}}])"}) == two);
  CHECK(calls_of({R"([{"function":{"name":"f","arguments":{"x":"}"}}},{"function":{"name":"f","arguments":{}}}])"}) ==
        two);
  CHECK(calls_of({R"([{"index":0,"function":{"name":"f","arguments":"{\"x\":\"}\"}"}}])",
                  R"([{"index":0,"function":{"name":"f","arguments":"{}"}}])"}) == two);
  CHECK(
      calls_of({R"([{"function":{"name":"f","arguments":""}}])", R"([{"function":{"name":"g","arguments":"{}"}}])"}) ==
      calls{{"call_r1_0", "f", "{}"}, {"call_r1_1", "g", "{}"}});
}

TEST_CASE("F12: one id for two calls is no reason to glue them", "[adapters][tool_calls]") {
  CHECK(calls_of({R"([{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}])",
                  R"([{"index":1,"id":"a","function":{"name":"g","arguments":"{"}}])",
                  R"([{"index":1,"id":"a","function":{"arguments":"}"}}])"}) ==
        calls{{"a", "f", "{}"}, {"call_r1_1", "g", "{}"}});
}

TEST_CASE("F12: the calls of an answer are bounded, and each needs a name", "[adapters][tool_calls]") {
  tool_call_reader reader("r1", [](const runtime::model_tool_call&) {});
  const auto call = [](int id) {
    return boost::json::value({{{"id", std::to_string(id)}, {"function", {{"name", "f"}}}}});
  };
  for (int i = 0; i < 64; ++i) REQUIRE(reader.read(call(i)));
  CHECK(reader.read(call(7)));
  CHECK_FALSE(reader.read(call(64)));

  tool_call_reader nameless("r1", [](const runtime::model_tool_call&) {});
  CHECK(nameless.read(boost::json::parse(R"([{"index":0,"id":"a","function":{"arguments":"{}"}}])")));
  CHECK_FALSE(nameless.finish(true));
}

}  // namespace parley::adapters::local
