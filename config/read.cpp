#include "config/read.hpp"

#include "config/assign.hpp"
#include "config/keys.hpp"
#include "config/nearest.hpp"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <utility>

namespace parley::config {
namespace {

const std::string models_key = "models";

// A part of the file that one table describes: the whole file, or one model.
struct scope {
  std::string base;  // path of the table's root with its dot: "" or "models.local."
  const std::vector<key>& table;
  std::optional<adapter_kind> adapter;  // of the model; none at the root, or when it is not known
};

bool is_section(const std::vector<key>& table, const std::string& name) {
  return std::any_of(table.begin(), table.end(), [&](const key& one) { return one.name.starts_with(name + "."); });
}

class reader {
 public:
  reader(location source, bool has_lines, reading& into)
      : source_(std::move(source)), has_lines_(has_lines), into_(into) {}

  void read(const YAML::Node& root) {
    const auto table = keys_of(into_.value);
    read_section({"", table, std::nullopt}, "", root);
  }

 private:
  // `below`: path of the section inside the scope, with its dot.
  void read_section(const scope& in, const std::string& below, const YAML::Node& node) {
    for_each_entry(in.base + below, node, [&](const std::string& name, const YAML::Node& at, const YAML::Node& value) {
      read_entry(in, below + name, at, value);
    });
  }

  void read_entry(const scope& in, const std::string& name, const YAML::Node& at, const YAML::Node& value) {
    const auto path = in.base + name;
    if (path == models_key) return read_models(value);
    if (is_section(in.table, name)) return read_section(in, name + ".", value);
    const auto found = std::find_if(in.table.begin(), in.table.end(), [&](const key& k) { return k.name == name; });
    if (found == in.table.end()) return report(at, path, unknown(in, name));
    if (found->only && in.adapter && *found->only != *in.adapter) {
      report(at, path,
             "is a setting of the adapter `" + to_string(*found->only) + "`, this model's adapter is `" +
                 to_string(*in.adapter) + "`");
    }
    into_.origins[path] = where(at);
    assign(*found, value, [&](const YAML::Node& inside, const std::string& rest, const std::string& text) {
      report(rest.empty() ? at : inside, path + rest, text);
    });
  }

  void read_models(const YAML::Node& node) {
    for_each_entry(models_key + ".", node, [&](const std::string& name, const YAML::Node& at, const YAML::Node& value) {
      if (!value.IsNull()) return read_model(name, at, value);
      if (into_.value.models.erase(name) == 0) report(at, models_key + "." + name, "there is no such model to remove");
    });
  }

  void read_model(const std::string& name, const YAML::Node& at, const YAML::Node& value) {
    const auto path = models_key + "." + name;
    if (!value.IsMap()) return report(at, path, "must be a map of settings");
    const auto existing = into_.value.models.find(name);
    const bool is_new = existing == into_.value.models.end();
    const auto given = value["adapter"];
    if (is_new && !given.IsDefined()) report(at, path, "needs `adapter`: local or scripted");
    const auto kind = adapter_of(given, is_new ? std::nullopt : std::optional{existing->second.adapter});
    if (is_new || (kind && existing->second.adapter != *kind)) into_.value.models[name] = {};
    into_.origins.try_emplace(path, where(at));
    const auto table = keys_of(into_.value.models[name]);
    read_section({path + ".", table, kind}, "", value);
  }

  // None when it is unknown; what is wrong with it is reported when its own entry is read.
  static std::optional<adapter_kind> adapter_of(const YAML::Node& given, std::optional<adapter_kind> existing) {
    if (!given.IsDefined()) return existing;
    for (const auto kind : {adapter_kind::local, adapter_kind::scripted}) {
      if (given.IsScalar() && given.Scalar() == to_string(kind)) return kind;
    }
    return std::nullopt;
  }

  // Calls visit(name, key node, value) for every entry of a map; an empty section (all its keys commented out) is fine.
  template <class Visit>
  void for_each_entry(const std::string& base, const YAML::Node& node, const Visit& visit) {
    if (node.IsNull()) return;
    if (!node.IsMap()) return report(node, base.substr(0, base.empty() ? 0 : base.size() - 1), "must be a map of keys");
    std::set<std::string> seen;
    for (const auto& entry : node) {
      const YAML::Node at = entry.first;
      const YAML::Node value = entry.second;
      if (!at.IsScalar() || at.Scalar().empty()) {
        report(at, base, "a key must be a word");
        continue;
      }
      if (!seen.insert(at.Scalar()).second) report(at, base + at.Scalar(), "is given twice");
      visit(at.Scalar(), at, value);
    }
  }

  static std::string unknown(const scope& in, const std::string& name) {
    const auto dot = name.rfind('.');
    const auto section = dot == std::string::npos ? "" : name.substr(0, dot + 1);
    std::vector<std::string> siblings;
    if (in.base.empty() && section.empty()) siblings.push_back(models_key);
    for (const auto& one : in.table) {
      const bool reachable = one.name.starts_with(section) && (!one.only || !in.adapter || *one.only == *in.adapter);
      if (reachable)
        siblings.push_back(one.name.substr(section.size(), one.name.find('.', section.size()) - section.size()));
    }
    const auto meant = nearest(name.substr(section.size()), siblings);
    std::string text = meant.empty() ? "unknown key" : "unknown key, did you mean `" + meant + "`?";
    if (section == "auth.") text += " Keys are never given inline: use auth.keys_file or PARLEY_API_KEYS";
    return text;
  }

  location where(const YAML::Node& node) const { return {source_.file, has_lines_ ? node.Mark().line + 1 : 0}; }

  void report(const YAML::Node& at, const std::string& path, const std::string& text) {
    const auto place = where(at);
    into_.mistakes.push_back({place.file, place.line, path, text});
  }

  const location source_;
  const bool has_lines_;
  reading& into_;
};

// The part of "models.NAME.rest" that is NAME may itself hold dots (gpt-4.1): a model that exists wins.
std::vector<std::string> segments(const std::string& path, const config& value) {
  std::vector<std::string> parts;
  std::size_t from = 0;
  const auto prefix = models_key + ".";
  if (path.starts_with(prefix)) {
    std::string name;
    for (const auto& [known, model] : value.models) {
      const bool named = path == prefix + known || path.starts_with(prefix + known + ".");
      if (named && known.size() > name.size()) name = known;
    }
    if (!name.empty()) {
      parts = {models_key, name};
      from = prefix.size() + name.size() + 1;
    }
  }
  while (from <= path.size()) {
    const auto dot = std::min(path.find('.', from), path.size());
    parts.push_back(path.substr(from, dot - from));
    from = dot + 1;
  }
  return parts;
}

}  // namespace

void read_yaml(const std::string& text, const std::string& file, reading& into) {
  try {
    const auto documents = YAML::LoadAll(text);
    if (documents.empty()) return;
    if (documents.size() > 1) into.mistakes.push_back({file, 0, "", "must be one YAML document, not several"});
    reader{{file}, true, into}.read(documents.front());
  } catch (const YAML::Exception& error) {
    into.mistakes.push_back({file, error.mark.line + 1, "", "is not YAML: " + error.msg});
  }
}

void read_setting(const std::string& setting, reading& into) {
  const auto equals = setting.find('=');
  const auto path = setting.substr(0, equals);
  if (equals == std::string::npos || path.empty()) {
    into.mistakes.push_back({"--set", 0, setting, "must be PATH=VALUE"});
    return;
  }
  try {
    auto node = YAML::Load(setting.substr(equals + 1));
    const auto parts = segments(path, into.value);
    for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
      YAML::Node outer{YAML::NodeType::Map};
      outer.force_insert(*part, node);
      node.reset(outer);
    }
    reader{{"--set"}, false, into}.read(node);
  } catch (const YAML::Exception& error) {
    into.mistakes.push_back({"--set", 0, path, "the value is not YAML: " + error.msg});
  }
}

}  // namespace parley::config
