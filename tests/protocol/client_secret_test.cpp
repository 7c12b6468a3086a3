#include "protocol/client_secret.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <catch2/catch.hpp>

#include <memory>
#include <string>
#include <string_view>

namespace parley::protocol {
namespace {

using std::chrono::seconds;

// A text with the room behind it that the reader asks for.
struct padded {
  explicit padded(std::string_view from) : size(from.size()), bytes(from) { bytes.append(frame_padding_bytes, '\0'); }
  [[nodiscard]] frame_view view() const { return {bytes.data(), size}; }
  std::size_t size;
  std::string bytes;
};

result<client_secret_request> ask(std::string_view body, secret_form form = secret_form::client_secret) {
  const padded text{body};
  return read_client_secret_request(form, text.view());
}

wire_error refused(std::string_view body, secret_form form = secret_form::client_secret) {
  const auto read = ask(body, form);
  return read ? wire_error{.message = "was accepted"} : read.error();
}

std::string lifetime(std::string_view seconds_text) {
  return R"({"expires_after":{"anchor":"created_at","seconds":)" + std::string{seconds_text} + "}}";
}

}  // namespace

TEST_CASE("client_secret: everything has a default", "[protocol][client_secret]") {
  for (const auto* body : {"{}", R"({"session":null,"expires_after":null})", R"({"expires_after":{}})"}) {
    INFO(body);
    const auto read = ask(body);
    REQUIRE(read.has_value());
    CHECK(read->lifetime == seconds{600});
    CHECK(read->session.text == "{}");
    CHECK_FALSE(read->patch.model);
  }
}

TEST_CASE("F16: the session of a client secret has the same bound on tokens", "[protocol][client_secret]") {
  CHECK(ask(R"({"session":{"max_output_tokens":4096}})").has_value());
  CHECK(refused(R"({"session":{"max_output_tokens":4097}})").param == "session.max_output_tokens");
  CHECK(refused(R"({"max_response_output_tokens":4097})", secret_form::beta_session).param ==
        "max_response_output_tokens");
}

TEST_CASE("client_secret: lives from 10 to 7200 seconds", "[protocol][client_secret]") {
  CHECK(ask(lifetime("10"))->lifetime == seconds{10});
  CHECK(ask(lifetime("7200"))->lifetime == seconds{7200});
  for (const auto* wrong : {"9", "7201", "-1", "0", "10.5", "1e999", "\"60\"", "true"}) {
    INFO(wrong);
    CHECK_FALSE(ask(lifetime(wrong)).has_value());
  }
  CHECK(refused(lifetime("9")).param == "expires_after.seconds");
  CHECK(refused(lifetime("9")).code == errc::invalid_value);
  CHECK(refused(R"({"expires_after":{"anchor":"now"}})").param == "expires_after.anchor");
  CHECK(refused(R"({"expires_after":60})").code == errc::invalid_type);
}

TEST_CASE("client_secret: its session is kept as compact JSON and read as session.update reads it",
          "[protocol][client_secret]") {
  const auto read = ask(R"({"session": {"type":"realtime", "model": "m", "audio":{"output":{"voice":"marin"}}}})");
  REQUIRE(read.has_value());
  CHECK(read->session.text == R"({"type":"realtime","model":"m","audio":{"output":{"voice":"marin"}}})");
  CHECK(read->patch.model == "m");
  CHECK(read->patch.voice == "marin");
  const padded again{read->session.text};
  const auto bound = read_bound_session(again.view());
  REQUIRE(bound.has_value());
  CHECK(bound->voice == "marin");
  CHECK(bound->kind == session_kind::realtime);
}

TEST_CASE("client_secret: a refusal names the field by its path in the body", "[protocol][client_secret]") {
  CHECK(refused(R"({"session":{"audio":{"input":{"turn_detection":{"threshold":2}}}}})").param ==
        "session.audio.input.turn_detection.threshold");
  CHECK(refused(R"({"session":{"colour":"red"}})").code == errc::unknown_parameter);
  CHECK(refused(R"({"session":{"colour":"red"}})").param == "session.colour");
  CHECK(refused(R"({"sesion":{}})").param == "sesion");
  CHECK(refused(R"({"session":[]})").param == "session");
  CHECK(refused(R"({"session":{"type":"chat"}})").param == "session.type");
  CHECK(refused("{").code == errc::invalid_json);
  CHECK(refused("").code == errc::invalid_json);
  CHECK(refused("[]").code == errc::invalid_value);
  CHECK(refused(R"({"session":)" + std::string(100'000, '[')).code == errc::invalid_json);
}

TEST_CASE("client_secret: a session of more than 16 KiB is refused", "[protocol][client_secret]") {
  const auto of = [](std::size_t bytes) {
    const std::string around = R"({"instructions":""})";
    return R"({"session":{"instructions":")" + std::string(bytes - around.size(), 'x') + R"("}})";
  };
  CHECK(ask(of(16 * 1024)).has_value());
  CHECK(refused(of(16 * 1024 + 1)).param == "session");
}

TEST_CASE("client_secret: the beta form holds the session flat", "[protocol][client_secret]") {
  const auto read = ask(R"({"model":"m","modalities":["text"],"voice":"alloy",
    "client_secret":{"expires_after":{"anchor":"created_at","seconds":60}}})",
                        secret_form::beta_session);
  REQUIRE(read.has_value());
  CHECK(read->lifetime == seconds{60});
  CHECK(read->session.text == R"({"model":"m","modalities":["text"],"voice":"alloy"})");
  CHECK(read->patch.modality == output_modality::text);
  CHECK(refused(R"({"voice":5})", secret_form::beta_session).param == "voice");
  CHECK(refused(R"({"client_secret":{"expires_after":{"seconds":9}}})", secret_form::beta_session).param ==
        "client_secret.expires_after.seconds");
  CHECK(ask("{}", secret_form::beta_session)->session.text == "{}");
  CHECK(refused("[1]", secret_form::beta_session).code == errc::invalid_value);
}

TEST_CASE("client_secret: the beta form of a transcription says so in the session", "[protocol][client_secret]") {
  const auto read = ask(R"({"modalities":["text"],"type":"realtime","input_audio_transcription":{"model":"whisper-1"},
    "client_secret":{"expires_at":{"anchor":"created_at","seconds":70}}})",
                        secret_form::beta_transcription_session);
  REQUIRE(read.has_value());
  CHECK(read->lifetime == seconds{70});
  CHECK(read->patch.kind == session_kind::transcription);
  CHECK_FALSE(read->patch.modality);
  CHECK((*read->patch.transcription)->model == "whisper-1");
}

TEST_CASE("client_secret: the answer holds the secret and the session", "[protocol][client_secret]") {
  session_settings settings;
  settings.model = "m";
  settings.instructions = "Be \"short\".";
  const client_secret_answer answer{
      .value = "ek_x",
      .expires_at = 1'800'000'000,
      .session = {session_id{"sess_1"}, std::make_shared<const session_settings>(settings), {}}};
  const auto shown = boost::json::parse(render(secret_form::client_secret, answer));
  CHECK(shown.at("value") == "ek_x");
  CHECK(shown.at("expires_at") == 1'800'000'000);
  CHECK(shown.at("session").at("id") == "sess_1");
  CHECK(shown.at("session").at("type") == "realtime");
  CHECK(shown.at("session").at("object") == "realtime.session");
  CHECK(shown.at("session").at("instructions") == "Be \"short\".");
  CHECK(shown.as_object().size() == 3);

  const auto beta = boost::json::parse(render(secret_form::beta_session, answer));
  CHECK(beta.at("id") == "sess_1");
  CHECK(beta.at("model") == "m");
  CHECK(beta.at("client_secret").at("value") == "ek_x");
  CHECK(beta.at("client_secret").at("expires_at") == 1'800'000'000);
}

}  // namespace parley::protocol
