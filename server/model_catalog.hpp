// The configured models by name and alias (an alias may end in `*` and then matches any rest).
#pragma once

#include "config/config.hpp"
#include "runtime/model.hpp"

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace parley::server {

class model_catalog {
 public:
  // Throws std::runtime_error when a configured model or the default has no implementation.
  model_catalog(const config::config& configuration, std::map<std::string, std::shared_ptr<runtime::model>> models);

  // By exact name, exact alias, then the longest matching pattern; null when nothing matches.
  [[nodiscard]] std::shared_ptr<runtime::model> find(std::string_view name) const;
  // How the configuration calls it: for the log, where the name that a client asked with has no place.
  // REQUIRES: find() gave it.
  [[nodiscard]] const std::string& name_of(const runtime::model& model) const { return own_names_.at(&model); }
  [[nodiscard]] const std::string& default_name() const noexcept { return default_name_; }
  // Names and aliases, for people and for /v1/models.
  [[nodiscard]] std::vector<std::string> names() const;

 private:
  std::string default_name_;
  std::map<std::string, std::shared_ptr<runtime::model>, std::less<>> exact_;     // names and plain aliases
  std::map<std::string, std::shared_ptr<runtime::model>, std::less<>> prefixes_;  // patterns, without their `*`
  std::map<const runtime::model*, std::string> own_names_;
  // Thread safety: read-only after construction.
};

}  // namespace parley::server
