#include "server/http_message.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <utility>

namespace parley::server {

namespace {

char lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::string_view error_type(int status) {
  if (status == 401) return "authentication_error";
  if (status == 429) return "rate_limit_error";
  return status >= 500 ? "server_error" : "invalid_request_error";
}

}  // namespace

bool equal_no_case(std::string_view left, std::string_view right) noexcept {
  return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                    [](char a, char b) { return lower(a) == lower(b); });
}

std::vector<std::string_view> http_request::all(std::string_view name) const {
  std::vector<std::string_view> values;
  for (const auto& [key, value] : headers) {
    if (equal_no_case(key, name)) values.emplace_back(value);
  }
  return values;
}

std::vector<std::string_view> http_request::list(std::string_view name) const {
  std::vector<std::string_view> elements;
  for (std::string_view rest : all(name)) {
    while (!rest.empty()) {
      const auto comma = std::min(rest.find(','), rest.size());
      if (const auto element = trimmed(rest.substr(0, comma)); !element.empty()) elements.push_back(element);
      rest.remove_prefix(std::min(comma + 1, rest.size()));
    }
  }
  return elements;
}

void http_request::set(std::string_view name, std::string value) {
  std::erase_if(headers, [&](const auto& header) { return equal_no_case(header.first, name); });
  headers.emplace_back(name, std::move(value));
}

http_response http_error(int status, std::string_view code, std::string_view message, std::string_view param) {
  boost::json::object error{{"message", message}, {"type", error_type(status)}, {"code", code}, {"param", nullptr}};
  if (!param.empty()) error["param"] = param;
  return {.status = status,
          .body = boost::json::serialize(boost::json::object{{"error", std::move(error)}}),
          .refusal = std::to_string(status) + ' ' + std::string(code)};
}

}  // namespace parley::server
