#include "protocol/json_writer.hpp"

#include <boost/json.hpp>
#include <catch2/catch.hpp>

#include <limits>
#include <string>

namespace parley::protocol {
namespace {

template <class T>
std::string written(const T& content) {
  std::string out;
  json_writer{out}.value(content);
  return out;
}

TEST_CASE("json_writer: objects and arrays nest with commas where they are due", "[protocol][json_writer]") {
  std::string out;
  json_writer json(out);
  json.begin_object();
  json.member("a", 1);
  json.begin_array("b");
  json.begin_object();
  json.end_object();
  json.value("x");
  json.begin_array();
  json.end_array();
  json.end_array();
  json.begin_object("c");
  json.member("d", nullptr);
  json.member("e", true);
  json.end_object();
  json.end_object();
  CHECK(out == R"({"a":1,"b":[{},"x",[]],"c":{"d":null,"e":true}})");
}

TEST_CASE("json_writer: text that looks like structure does not hide a comma", "[protocol][json_writer]") {
  std::string out;
  json_writer json(out);
  json.begin_array();
  for (const char* text : {"{", "[", ":", ""}) json.value(text);
  json.end_array();
  CHECK(out == R"(["{","[",":",""])");
}

TEST_CASE("json_writer: values have their JSON form", "[protocol][json_writer]") {
  CHECK(written(0) == "0");
  CHECK(written(std::numeric_limits<std::int64_t>::min()) == "-9223372036854775808");
  CHECK(written(false) == "false");
  CHECK(written(0.5) == "0.5");
  CHECK(written(0.1) == "0.1");
  CHECK(written(1.0) == "1");
  CHECK(written(std::numeric_limits<double>::quiet_NaN()) == "null");
  CHECK(written(std::numeric_limits<double>::infinity()) == "null");
  CHECK(written(raw_json{R"({"k":[1]})"}) == R"({"k":[1]})");
  CHECK(written(item_id{"item_1"}) == R"("item_1")");
  CHECK(written(std::optional<int>{}) == "null");
  CHECK(written(std::optional<std::string>{"x"}) == R"("x")");
}

TEST_CASE("json_writer: quotes, backslashes and control characters are escaped", "[protocol][json_writer]") {
  CHECK(written("a\"b\\c/d") == R"("a\"b\\c/d")");
  CHECK(written("\b\f\n\r\t") == R"("\b\f\n\r\t")");
  CHECK(written(std::string_view{"\0\x01\x1f\x7f", 4}) == "\"\\u0000\\u0001\\u001f\x7f\"");
  CHECK(written("\n") == R"("\n")");
  CHECK(written("Gr\u00fc\u00dfe \U0001f600") == "\"Gr\u00fc\u00dfe \U0001f600\"");
}

TEST_CASE("json_writer: every ASCII character comes back from a parser", "[protocol][json_writer]") {
  for (int i = 0; i < 128; ++i) {
    const std::string text{'x', static_cast<char>(i), 'y', static_cast<char>(i)};
    CHECK(boost::json::parse(written(text)).as_string() == text);
  }
}

}  // namespace
}  // namespace parley::protocol
