// Which web pages may talk to this server. A browser lets any page connect to any address, its user's own machine
// included, so a server without keys is guarded by what no page can forge: Origin, which says where the page is from,
// and Host, which says under what name the browser found this server (a page whose name was made to point here,
// called DNS rebinding, has its own name in both). Programs that are no browser send no Origin and are not concerned.
//
//   Origin: none, or one of server.origins; without that list the server's own (that of Host), and on a loopback
//           listener any page of this machine. `*` lets every page in.
//   Host:   one of server.hosts, or on a loopback listener a loopback name; without that list, any on other listeners.
//           `*` takes every name. A name of one label, without an Origin, passes a loopback listener that has no list:
//           browsers send an Origin with all that opens a session or makes a secret, and public names have two labels.
#pragma once

#include "config/config.hpp"
#include "server/http_message.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace parley::server {

class page_rules {
 public:
  explicit page_rules(const config::server_config& from);

  // 403 with the key that would let it in; empty: it may come in.
  [[nodiscard]] std::optional<http_response> refusal(const http_request& request) const;
  // The answer to OPTIONS of a path that takes these methods ("GET, HEAD"), a preflight or not.
  [[nodiscard]] http_response options(const http_request& request, std::string_view methods) const;
  // Lets the page that asked read the answer, if it may come in.
  void share(const http_request& request, http_response& answer) const;

 private:
  [[nodiscard]] bool is_good_host(const http_request& request) const;
  [[nodiscard]] bool is_good_origin(const http_request& request, std::string_view origin) const;
  // Empty: no page, or none that may come in.
  [[nodiscard]] std::optional<std::string> page_of(const http_request& request) const;

  const std::vector<std::string> origins_;
  const std::vector<std::string> hosts_;
  const bool on_loopback_;
  // Thread safety: read-only after construction.
};

}  // namespace parley::server
