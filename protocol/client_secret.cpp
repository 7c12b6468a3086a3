#include "protocol/client_secret.hpp"

#include "protocol/decode_parts.hpp"
#include "protocol/encode_objects.hpp"
#include "protocol/json_reader.hpp"
#include "protocol/json_writer.hpp"

#include <optional>
#include <utility>

namespace parley::protocol {
namespace {

enum class anchor : std::uint8_t { created_at };
constexpr choice<anchor> anchors[] = {{"created_at", anchor::created_at}};

// Parses and lets `read` look at the document; what is wrong comes out as the error.
template <class Read>
std::optional<wire_error> look(frame_view text, Read read) {
  json_document document;
  first_error error;
  if (const std::optional<json_value> root = document.parse(text, error)) {
    if (root->is_object()) {
      read(*root);
    } else {
      error.record(errc::invalid_value, "The body is not a JSON object.", {});
    }
  }
  if (!error.failed()) return std::nullopt;
  return error.take();
}

std::chrono::seconds read_lifetime(const json_value& expires_after) {
  if (!expires_after.given()) return default_secret_lifetime;
  const auto [from, seconds] = expires_after.members({"anchor", "seconds"}, unknown_members::refused);
  if (from.given()) static_cast<void>(from.one_of(anchors));
  if (!seconds.given()) return default_secret_lifetime;
  return std::chrono::seconds{seconds.integer(shortest_secret_lifetime.count(), longest_secret_lifetime.count())};
}

void read_nested(const json_value& body, client_secret_request& into) {
  const auto [expires_after, session] = body.members({"expires_after", "session"}, unknown_members::refused);
  into.lifetime = read_lifetime(expires_after);
  if (!session.given()) return;
  into.session = session.raw_object();
  into.patch = read_session(session);
}

// The beta forms mix the session with what is said of the secret.
class flat_reader {
 public:
  flat_reader(secret_form form, client_secret_request& into)
      : transcribes_(form == secret_form::beta_transcription_session), into_(into), session_(into.session.text) {}

  void read(const json_value& body) {
    into_.session.text.clear();
    session_.begin_object();
    body.for_each_member([this](const json_value& member) { take(member); });
    if (transcribes_) session_.member("type", "transcription");  // the last of a name counts
    session_.end_object();
  }

 private:
  void take(const json_value& member) {
    if (member.name() == "client_secret") return take_secret(member);
    // A transcription has no choice of modalities, and the beta API takes them all the same.
    if (transcribes_ && member.name() == "modalities") return;
    session_.free_key(member.name());
    session_.value(member.raw());
  }

  void take_secret(const json_value& secret) {
    if (!secret.given()) return;
    const auto [expires_after, expires_at] = secret.members({"expires_after", "expires_at"}, unknown_members::refused);
    into_.lifetime = read_lifetime(expires_after.given() ? expires_after : expires_at);
  }

  const bool transcribes_;
  client_secret_request& into_;
  json_writer session_;
};

std::optional<wire_error> read_flat(secret_form form, frame_view body, client_secret_request& into) {
  auto error = look(body, [&](const json_value& root) { flat_reader{form, into}.read(root); });
  if (error) return error;
  const std::string padded = into.session.text + std::string(frame_padding_bytes, ' ');
  auto patch = read_bound_session({padded.data(), into.session.text.size()});
  if (!patch) return std::move(patch).error();
  into.patch = *std::move(patch);
  return std::nullopt;
}

void write_secret(json_writer& json, const client_secret_answer& answer) {
  json.member("value", answer.value);
  json.member("expires_at", answer.expires_at);
}

}  // namespace

result<client_secret_request> read_client_secret_request(secret_form form, frame_view body) {
  client_secret_request read;
  auto error = form == secret_form::client_secret ? look(body, [&](const json_value& root) { read_nested(root, read); })
                                                  : read_flat(form, body, read);
  if (error) return *std::move(error);
  if (read.session.text.size() > max_bound_session_bytes) {
    return wire_error{.code = errc::invalid_value,
                      .message = "The session of a client secret is limited to 16 KiB of JSON.",
                      .param = "session"};
  }
  return read;
}

result<session_patch> read_bound_session(frame_view session) {
  session_patch patch;
  auto error = look(session, [&](const json_value& root) { patch = read_session(root); });
  if (error) return *std::move(error);
  return patch;
}

std::string render(secret_form form, const client_secret_answer& answer) {
  std::string out;
  json_writer json(out);
  if (form != secret_form::client_secret) {
    write_session(json, dialect::openai_beta, answer.session);
    out.pop_back();  // its closing brace: the secret is one more member
    json.begin_object("client_secret");
    write_secret(json, answer);
    json.end_object();
  } else {
    json.begin_object();
    write_secret(json, answer);
    json.key("session");
    write_session(json, dialect::openai, answer.session);
  }
  json.end_object();
  return out;
}

}  // namespace parley::protocol
