// The plain HTTP paths: health, readiness and the list of models. What opens a session is handshake.hpp's.
#pragma once

#include "server/http_message.hpp"
#include "server/request_target.hpp"
#include "server/services.hpp"

namespace parley::server {

[[nodiscard]] http_response answer(const http_request& request, const request_target& target, const services& shared);

}  // namespace parley::server
