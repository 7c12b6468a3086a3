// The plain HTTP paths: health, readiness and the list of models. What opens a session is handshake.hpp's. Health and
// readiness are told under any name: those who ask are probes, and a page learns no more than that somebody listens.
#pragma once

#include "server/http_message.hpp"
#include "server/request_target.hpp"
#include "server/services.hpp"

namespace parley::server {

[[nodiscard]] bool is_plain_path(std::string_view path) noexcept;
[[nodiscard]] http_response answer(const http_request& request, const request_target& target, const services& shared);

}  // namespace parley::server
