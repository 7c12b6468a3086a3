#include "server/model_catalog.hpp"

#include <stdexcept>

namespace parley::server {

model_catalog::model_catalog(const config::config& configuration,
                             std::map<std::string, std::shared_ptr<runtime::model>> models)
    : default_name_(configuration.default_model), exact_(models.begin(), models.end()) {
  if (!exact_.contains(default_name_)) throw std::runtime_error("default_model: no model named " + default_name_);
  for (const auto& [name, model] : models) own_names_.emplace(model.get(), name);
  for (const auto& [name, settings] : configuration.models) {
    const auto made = models.find(name);
    if (made == models.end()) throw std::runtime_error("models." + name + ": was not made");
    for (const auto& alias : settings.aliases) {
      const bool pattern = alias.ends_with('*');
      auto& into = pattern ? prefixes_ : exact_;
      into.emplace(alias.substr(0, alias.size() - (pattern ? 1 : 0)), made->second);
    }
  }
}

std::shared_ptr<runtime::model> model_catalog::find(std::string_view name) const {
  if (const auto found = exact_.find(name); found != exact_.end()) return found->second;
  std::shared_ptr<runtime::model> best;
  std::size_t length = 0;
  for (const auto& [prefix, model] : prefixes_) {
    if (name.starts_with(prefix) && (!best || prefix.size() > length)) {
      best = model;
      length = prefix.size();
    }
  }
  return best;
}

std::vector<std::string> model_catalog::names() const {
  std::vector<std::string> out;
  for (const auto& [name, model] : exact_) out.push_back(name);
  for (const auto& [prefix, model] : prefixes_) out.push_back(prefix + "*");
  return out;
}

}  // namespace parley::server
