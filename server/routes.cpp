#include "server/routes.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

namespace parley::server {

namespace json = boost::json;

namespace {

http_response plain(int status, std::string text) {
  return {.status = status, .content_type = "text/plain", .body = std::move(text)};
}

http_response model_list(const model_catalog& models) {
  json::array data;
  for (const auto& name : models.names()) {
    data.push_back(json::object{{"id", name}, {"object", "model"}, {"created", 0}, {"owned_by", "parley"}});
  }
  return {.body = json::serialize(json::object{{"object", "list"}, {"data", std::move(data)}})};
}

}  // namespace

bool is_plain_path(std::string_view path) noexcept {
  return path == "/healthz" || path == "/readyz" || path == "/v1/models";
}

http_response answer(const http_request& request, const request_target& target, const services& shared) {
  const auto& path = target.path;
  if (!is_plain_path(path)) return http_error(404, "not_found", "There is nothing at this path.");
  if (request.method != "GET" && request.method != "HEAD") {
    auto refusal = http_error(405, "method_not_allowed", "Only GET and HEAD are allowed here.");
    refusal.headers = {{"Allow", "GET, HEAD, OPTIONS"}};
    return refusal;
  }
  if (path == "/healthz") return plain(200, "ok");
  if (path == "/readyz") {
    return shared.notice.current() == stage::serving ? plain(200, "ready") : plain(503, "draining");
  }
  if (!shared.keys.admits(request)) return http_error(401, "invalid_api_key", "A valid API key is required.");
  if (auto refused = shared.pages.refusal(request)) return *std::move(refused);
  return model_list(shared.models);
}

}  // namespace parley::server
