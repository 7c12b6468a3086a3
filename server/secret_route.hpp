// POST of a client secret, in two halves: what is decided by the head alone, so that a stranger's body is never read,
// and the answer to the body.
#pragma once

#include "protocol/client_secret.hpp"
#include "server/http_message.hpp"
#include "server/services.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace parley::server {

// Largest body that is read. What can be bound is far smaller; this much is read to say so.
inline constexpr std::size_t max_secret_body_bytes = 1024 * 1024;

// The form that is asked for at this path; empty for other paths.
[[nodiscard]] std::optional<protocol::secret_form> secret_form_at(std::string_view path) noexcept;
// Empty: go on and read the body.
[[nodiscard]] std::optional<http_response> refused_by_head(const http_request& request, const services& shared);
[[nodiscard]] http_response mint(protocol::secret_form form, std::string body, const services& shared);

}  // namespace parley::server
