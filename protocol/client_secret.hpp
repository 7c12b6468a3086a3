// Asking over HTTP for a client secret: a key that lives for minutes and opens sessions of one configuration, so that
// a browser needs no real key. This file reads the request and writes the answer; what a secret is made of is the
// server's business. Three forms of the same question exist; each has its own place for the session and the lifetime.
//
//   client_secrets          {session: {...}, expires_after: {anchor, seconds}} -> {value, expires_at, session: {...}}
//   sessions (beta)         {...session, client_secret: {expires_after}} -> {...session, client_secret: {...}}
//   transcription_sessions  the same with client_secret.expires_at and a transcription session
//
// Errors: the first field at fault, by its path in the body. Pure functions.
#pragma once

#include "protocol/decode.hpp"
#include "protocol/event.hpp"
#include "protocol/session_settings.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

namespace parley::protocol {

enum class secret_form : std::uint8_t { client_secret, beta_session, beta_transcription_session };

inline constexpr std::chrono::seconds default_secret_lifetime{600};
inline constexpr std::chrono::seconds shortest_secret_lifetime{10};
inline constexpr std::chrono::seconds longest_secret_lifetime{7200};
// Largest session that is bound, as compact JSON: a secret travels in a header.
inline constexpr std::size_t max_bound_session_bytes = 16 * 1024;

struct client_secret_request {
  std::chrono::seconds lifetime = default_secret_lifetime;
  raw_json session{"{}"};  // what read_bound_session takes
  session_patch patch{};   // the same, read
};

[[nodiscard]] result<client_secret_request> read_client_secret_request(secret_form form, frame_view body);
// A `session` object on its own, in the fields of session.update.
[[nodiscard]] result<session_patch> read_bound_session(frame_view session);

struct client_secret_answer {
  std::string value;
  std::int64_t expires_at = 0;  // unix seconds
  session_view session;         // as session.created will show it, but for its id
};
[[nodiscard]] std::string render(secret_form form, const client_secret_answer& answer);

}  // namespace parley::protocol
