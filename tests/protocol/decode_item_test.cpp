#include "tests/protocol/decode_support.hpp"
#include "tests/protocol/pictures.hpp"

#include <catch2/catch.hpp>

#include <string>

namespace parley::protocol {
namespace {

using pictures::bytes_of;
using pictures::data_url;

std::string create(std::string_view item, std::string_view more = "") {
  return R"({"type":"conversation.item.create","item":)" + std::string{item} + std::string{more} + "}";
}

item item_of(std::string_view json) {
  test_client client;
  return client.accepted<item_create>(create(json)).new_item;
}

std::string message(std::string_view role, std::string_view part) {
  return create(R"({"type":"message","role":")" + std::string{role} + R"(","content":[)" + std::string{part} + "]}");
}

TEST_CASE("item.create: a user message of every part type", "[protocol][decode][item]") {
  const item read = item_of(R"({"id":"item-snf71H7_x","object":"realtime.item","type":"message","role":"user",
    "status":"in_progress","content":[{"type":"input_text","text":"hi"},
      {"type":"input_audio","audio":"AAAA","transcript":"said"},{"type":"input_audio","audio":"","transcript":null},
      {"type":"input_image","image_url":")" +
                            data_url(pictures::png) + R"(","detail":"low"}]})");
  CHECK(read.id.value == "item-snf71H7_x");
  CHECK(read.type == item_type::message);
  CHECK(read.role == item_role::user);
  CHECK(read.status == item_status::completed);
  REQUIRE(read.content.size() == 4);
  CHECK(read.content[0] == content_part{.type = part_type::input_text, .text = "hi"});
  CHECK(read.content[1] == content_part{.type = part_type::input_audio, .text = "AAAA", .transcript = "said"});
  CHECK(read.content[2] == content_part{.type = part_type::input_audio});
  CHECK(read.content[3] ==
        content_part{.type = part_type::input_image, .text = data_url(pictures::png), .detail = "low"});
}

TEST_CASE("item.create: an assistant message in GA and beta names", "[protocol][decode][item]") {
  const std::string text_name = GENERATE("output_text", "text");
  const std::string audio_name = text_name == "text" ? "audio" : "output_audio";
  const item read = item_of(R"({"type":"message","role":"assistant","content":[{"type":")" + text_name +
                            R"(","text":"a"},{"type":")" + audio_name + R"(","transcript":"b","audio":"AAAA"}]})");
  CHECK(read.role == item_role::assistant);
  REQUIRE(read.content.size() == 2);
  CHECK(read.content[0] == content_part{.type = part_type::output_text, .text = "a"});
  CHECK(read.content[1] == content_part{.type = part_type::output_audio, .text = "AAAA", .transcript = "b"});
}

TEST_CASE("item.create: an item without an id leaves the choice to the server", "[protocol][decode][item]") {
  CHECK(item_of(R"({"type":"message","role":"system","content":[{"type":"input_text","text":"s"}]})").id.empty());
  CHECK(item_of(R"({"id":null,"type":"message","role":"system","content":[]})").id.empty());
  CHECK(item_of(R"({"id":")" + std::string(256, 'i') + R"(","type":"message","role":"user","content":[]})")
            .id.value.size() == 256);
}

TEST_CASE("item.create: function calls and their outputs", "[protocol][decode][item]") {
  const item call = item_of(R"({"type":"function_call","call_id":"c1","name":"f","arguments":"{\"a\":1}"})");
  CHECK(call.type == item_type::function_call);
  CHECK(call.call.value == "c1");
  CHECK(call.name == "f");
  CHECK(call.arguments == R"({"a":1})");
  CHECK(item_of(R"({"type":"function_call","name":"f","arguments":"{}"})").call.empty());
  const item output = item_of(R"({"type":"function_call_output","call_id":"c1","output":""})");
  CHECK(output.type == item_type::function_call_output);
  CHECK(output.call.value == "c1");
  CHECK(output.output.empty());
}

TEST_CASE("C32: a tool result without call id or with an ill-typed output is refused", "[protocol][decode][item]") {
  test_client client;
  check_refusal(client, {create(R"({"type":"function_call_output","output":"x"})"), errc::missing_required_parameter,
                         "item.call_id"});
  check_refusal(client, {create(R"({"type":"function_call_output","call_id":"c"})"), errc::missing_required_parameter,
                         "item.output"});
  check_refusal(client, {create(R"({"type":"function_call_output","call_id":"c","output":{"t":21}})"),
                         errc::invalid_type, "item.output"});
  check_refusal(client, {create(R"({"type":"function_call_output","call_id":5,"output":"x"})"), errc::invalid_type,
                         "item.call_id"});
}

TEST_CASE("item.create: the place in the conversation is kept as it was given", "[protocol][decode][item]") {
  test_client client;
  const std::string item = R"({"type":"message","role":"user","content":[]})";
  CHECK_FALSE(client.accepted<item_create>(create(item)).previous_item_id.has_value());
  CHECK_FALSE(client.accepted<item_create>(create(item, R"(,"previous_item_id":null)")).previous_item_id.has_value());
  CHECK(client.accepted<item_create>(create(item, R"(,"previous_item_id":"root")")).previous_item_id == "root");
  check_refusal(client, {create(item, R"(,"previous_item_id":4)"), errc::invalid_type, "previous_item_id"});
}

TEST_CASE("item.create: unknown members of events, items and parts are ignored", "[protocol][decode][item]") {
  test_client client;
  const auto created = client.accepted<item_create>(
      create(R"({"type":"message","role":"user","x":1,"content":[{"type":"input_text","text":"t","y":{"z":[]}}]})",
             R"(,"client_note":"n")"));
  CHECK(created.new_item.content.front().text == "t");
}

TEST_CASE("item.create: wrong items are refused with the path of the fault", "[protocol][decode][item]") {
  test_client client;
  const refusal row = GENERATE(
      refusal{R"({"type":"conversation.item.create"})", errc::missing_required_parameter, "item"},
      refusal{create("[]"), errc::invalid_type, "item"},
      refusal{create(R"({"role":"user","content":[]})"), errc::missing_required_parameter, "item.type"},
      refusal{create(R"({"type":"item_reference","id":"i"})"), errc::invalid_value, "item.type"},
      refusal{create(R"({"type":"message","content":[]})"), errc::missing_required_parameter, "item.role"},
      refusal{create(R"({"type":"message","role":"developer","content":[]})"), errc::invalid_value, "item.role"},
      refusal{create(R"({"type":"message","role":"user"})"), errc::missing_required_parameter, "item.content"},
      refusal{create(R"({"type":"message","role":"user","content":"hi"})"), errc::invalid_type, "item.content"},
      refusal{create(R"({"type":"message","role":"user","content":["hi"]})"), errc::invalid_type, "item.content[0]"},
      refusal{create(R"({"id":"","type":"message","role":"user","content":[]})"), errc::invalid_value, "item.id"},
      refusal{create(R"({"id":")" + std::string(257, 'i') + R"(","type":"message","role":"user","content":[]})"),
              errc::invalid_value, "item.id"},
      refusal{create(R"({"id":9,"type":"message","role":"user","content":[]})"), errc::invalid_type, "item.id"},
      refusal{create(R"({"type":"message","role":"user","status":"lost","content":[]})"), errc::invalid_value,
              "item.status"},
      refusal{message("user", R"({"text":"t"})"), errc::missing_required_parameter, "item.content[0].type"},
      refusal{message("user", R"({"type":"output_text","text":"t"})"), errc::invalid_value, "item.content[0].type"},
      refusal{message("system", R"({"type":"input_audio","audio":""})"), errc::invalid_value, "item.content[0].type"},
      refusal{message("assistant", R"({"type":"input_text","text":"t"})"), errc::invalid_value, "item.content[0].type"},
      refusal{message("user", R"({"type":"input_text"})"), errc::missing_required_parameter, "item.content[0].text"},
      refusal{message("user", R"({"type":"input_text","text":"a"},{"type":"input_text","text":null})"),
              errc::invalid_type, "item.content[1].text"},
      refusal{message("user", R"({"type":"input_audio"})"), errc::missing_required_parameter, "item.content[0].audio"},
      refusal{message("user", R"({"type":"input_audio","audio":"","transcript":1})"), errc::invalid_type,
              "item.content[0].transcript"},
      refusal{create(R"({"type":"function_call","arguments":"{}"})"), errc::missing_required_parameter, "item.name"},
      refusal{create(R"({"type":"function_call","name":"f"})"), errc::missing_required_parameter, "item.arguments"},
      refusal{create(R"({"type":"function_call","name":"f","arguments":{}})"), errc::invalid_type, "item.arguments"});
  check_refusal(client, row);
}

std::string image(std::string_view url) {
  return message("user", R"({"type":"input_image","image_url":")" + std::string{url} + "\"}");
}

using namespace std::string_literals;
using namespace std::string_view_literals;

TEST_CASE("C73: only data URLs of the known image types are taken", "[protocol][decode][item]") {
  test_client client;
  for (const pictures::picture& one : pictures::all) (void)client.accepted<item_create>(image(data_url(one)));
  for (const std::string& url :
       {"http://169.254.169.254/latest"s, "http://127.0.0.1:1/a.png"s, "https://example.org/a.png"s, "http://[::1]/"s,
        "file:///etc/passwd"s, "data:image/svg+xml;base64,AAAA"s, "data:text/html;base64,AAAA"s, "data:image/png,AAAA"s,
        "data:image/png;base64,"s, "data:image/png;base64,AAAA"s, "data:image/png;base64,iVBORw0KGg="s,
        data_url("jpeg", bytes_of(pictures::gif)),
        data_url("png", "\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\x10\0\0\0\x10\0"sv),
        data_url("jpeg", "\xff\xd8\xff\xe0"sv), ""s}) {
    CAPTURE(url);
    check_refusal(client, {image(url), errc::invalid_value, "item.content[0].image_url"});
  }
  check_refusal(client, {message("user", R"({"type":"input_image"})"), errc::missing_required_parameter,
                         "item.content[0].image_url"});
  check_refusal(client, {message("user", R"({"type":"input_image","image_url":"x","detail":"most"})"),
                         errc::invalid_value, "item.content[0].image_url"});
}

TEST_CASE("C73: an image is bounded in bytes and in pixels", "[protocol][decode][item]") {
  test_client client;
  const std::string jpeg = bytes_of(pictures::jpeg);
  const auto with_scan = [&](std::size_t more) {
    return data_url("jpeg", jpeg.substr(0, jpeg.size() - 2) + std::string(more, '\x7f') + "\xff\xd9");
  };
  const std::size_t room = (10 * 1024 * 1024 - data_url("jpeg", "").size()) / 4 * 3 - jpeg.size();
  (void)client.accepted<item_create>(image(with_scan(room)));
  check_refusal(client, {image(with_scan(room + 3)), errc::invalid_value, "item.content[0].image_url"});
  for (const std::string& bomb :
       {data_url("png", "\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\xff\xff\xff\xff\xff\xff\xff\xff"sv),
        data_url("gif", "GIF89a\xff\xff\xff\xff"sv),
        data_url("jpeg", "\xff\xd8\xff\xe0\0\x04JF\xff\xc0\0\x11\x08\xff\xff\xff\xff"sv),
        data_url("webp", "RIFF\x1a\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0\xff\xff\xff\xff\xff\xff"sv)}) {
    CAPTURE(bomb);
    check_refusal(client, {image(bomb), errc::invalid_value, "item.content[0].image_url"});
  }
}

TEST_CASE("item.retrieve and item.delete: an id is required", "[protocol][decode][item]") {
  test_client client;
  const std::string type = GENERATE("conversation.item.retrieve", "conversation.item.delete");
  const std::string head = R"({"type":")" + type + "\"";
  check_refusal(client, {head + "}", errc::missing_required_parameter, "item_id"});
  check_refusal(client, {head + R"(,"item_id":""})", errc::invalid_value, "item_id"});
  check_refusal(client, {head + R"(,"item_id":null})", errc::invalid_type, "item_id"});
}

}  // namespace
}  // namespace parley::protocol
