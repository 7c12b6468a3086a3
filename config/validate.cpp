#include "config/validate.hpp"

#include "config/listen_address.hpp"
#include "config/nearest.hpp"

#include <array>
#include <cstddef>
#include <fstream>
#include <map>
#include <string>

namespace parley::config {
namespace {

constexpr std::size_t secret_key_bytes = 32;
constexpr std::size_t longest_prompt_id = 256;

class validator {
 public:
  validator(reading& of, const environment& env) : of_(of), env_(env), value_(of.value) {}

  void run() {
    check_listen();
    check_origins();
    check_hosts();
    check_keys_file();
    check_secret_key_file();
    check_prompts();
    check_default_model();
    for (const auto& [name, model] : value_.models) {
      check_aliases(name, model);
      if (model.adapter == adapter_kind::local) check_llm("models." + name + ".llm.", model.local.llm);
      if (model.adapter == adapter_kind::scripted) check_script("models." + name + ".", model.scripted);
    }
  }

 private:
  // At the key itself, else at `instead`, the key that brought the mistake about.
  void report(const std::string& key, const std::string& text, const std::string& instead = "") {
    auto origin = of_.origins.find(key);
    if (origin == of_.origins.end()) origin = of_.origins.find(instead);
    const auto place = origin == of_.origins.end() ? location{} : origin->second;
    of_.mistakes.push_back({place.file, place.line, key, text});
  }

  void check_listen() {
    const auto address = parse_listen_address(value_.server.listen);
    if (!address) {
      return report("server.listen", "must be HOST:PORT with a port from 0 to 65535 (an IPv6 host in brackets), not `" +
                                         value_.server.listen + "`");
    }
    const auto& auth = value_.auth;
    const bool has_keys = auth.keys_file || !auth.env_keys.empty();
    if (has_keys) return;
    if (!auth.allow_anonymous && !is_loopback(*address)) {
      report("server.listen", "`" + value_.server.listen +
                                  "` can be reached from other machines and there are no keys: give PARLEY_API_KEYS or "
                                  "auth.keys_file, or say auth.allow_anonymous: true");
    }
    if (auth.allow_anonymous == false) {
      report("auth.allow_anonymous",
             "is false and there are no keys, nobody could connect: give PARLEY_API_KEYS or "
             "auth.keys_file");
    }
  }

  // What a browser sends, or it would never match: no path, no slash at the end.
  void check_origins() {
    for (const auto& one : value_.server.origins) {
      const auto mark = one.find("://");
      const auto rest = mark == std::string::npos ? std::string{} : one.substr(mark + 3);
      const bool is_origin = mark > 0 && !rest.empty() && rest.find_first_of("/?#@* ") == std::string::npos;
      if (one == "*" || one == "null" || is_origin) continue;
      report("server.origins",
             "`" + one + "` must be SCHEME://HOST or SCHEME://HOST:PORT and nothing behind it, or `*`");
    }
  }

  void check_hosts() {
    for (const auto& one : value_.server.hosts) {
      const bool is_name = !one.empty() && one.find_first_of("/?#@* ") == std::string::npos;
      const bool has_port = is_name && (one.front() == '[' ? one.find("]:") : one.find(':')) != std::string::npos;
      const bool is_host =
          has_port ? parse_listen_address(one).has_value() : is_name && parse_listen_address(one + ":0").has_value();
      if (one == "*" || is_host) continue;
      report("server.hosts", "`" + one + "` must be HOST or HOST:PORT (an IPv6 host in brackets), or `*`");
    }
  }

  void check_keys_file() {
    if (!value_.auth.keys_file) return;
    std::ifstream file{*value_.auth.keys_file};
    if (!file) return report("auth.keys_file", "`" + *value_.auth.keys_file + "` can not be read");
    for (std::string line; std::getline(file, line);) {
      const auto first = line.find_first_not_of(" \t\r");
      if (first != std::string::npos && line[first] != '#') return;
    }
    report("auth.keys_file", "`" + *value_.auth.keys_file + "` holds no key (one a line)");
  }

  void check_secret_key_file() {
    const auto& path = value_.auth.secret_key_file;
    if (!path) return;
    std::ifstream file{*path, std::ios::binary};
    std::array<char, secret_key_bytes + 1> bytes{};
    file.read(bytes.data(), bytes.size());
    if (file.gcount() == secret_key_bytes) return;
    report("auth.secret_key_file", "`" + *path +
                                       "` must be a readable file of exactly 32 bytes: "
                                       "head -c 32 /dev/urandom > FILE makes one");
  }

  // The wire takes no longer id, so nobody could ask for it.
  void check_prompts() {
    for (const auto& [id, text] : value_.prompts) {
      if (id.size() > longest_prompt_id) report("prompts." + id, "an id has at most 256 bytes", "prompts");
    }
  }

  void check_default_model() {
    const auto& name = value_.default_model;
    if (value_.models.contains(name)) return;
    std::vector<std::string> names;
    std::string list;
    for (const auto& [known, model] : value_.models) {
      names.push_back(known);
      list += (list.empty() ? "" : ", ") + known;
    }
    const auto meant = nearest(name, names);
    report("default_model", "there is no model `" + name + "`" +
                                (meant.empty() ? "; there is: " + list : ", did you mean `" + meant + "`?"));
  }

  void check_aliases(const std::string& name, const model_config& model) {
    const auto key = "models." + name + ".aliases";
    for (const auto& alias : model.aliases) {
      const auto star = alias.find('*');
      if (alias.empty() || (star != std::string::npos && star + 1 != alias.size())) {
        report(key, "`" + alias + "`: an alias is a name, a * may stand at its end only");
      }
      if (alias != name && value_.models.contains(alias)) report(key, "`" + alias + "` is the name of another model");
      const auto [first, is_first] = alias_owners_.try_emplace(alias, name);
      if (!is_first && first->second != name) {
        report(key, "`" + alias + "` is an alias of the model `" + first->second + "` too");
      }
      if (!is_first && first->second == name) report(key, "`" + alias + "` is given twice");
    }
  }

  void check_llm(const std::string& base, const llm_config& llm) {
    if (!llm.url) return;
    const std::string scheme = "http://";
    const auto& url = *llm.url;
    const bool has_host = url.size() > scheme.size() && url[scheme.size()] != '/' && url[scheme.size()] != ':';
    if (!url.starts_with(scheme) || !has_host || url.find_first_of(" \t\r\n") != std::string::npos) {
      report(base + "url", "must be http://HOST[:PORT]/PATH; for https put a local proxy in front");
    }
    if (llm.key_env && !env_(*llm.key_env)) {
      report(base + "key_env", "the environment variable `" + *llm.key_env + "` is not set");
    }
  }

  void check_script(const std::string& base, const scripted_config& script) {
    const auto& decides = script.decisions;
    if (!script.native) return check_turn_based(base, decides);
    if (script.mode == scripted_mode::echo) {
      report(base + "mode", "echo is turn-based, it can not be `native: true`", base + "native");
    }
    if (decides.keep_listening && !decides.speak_on_units.empty()) {
      report(base + "keep_listening", "is true and speak_on_units says when to speak: give one of the two",
             base + "speak_on_units");
    }
    check_last_unit(base, decides);
  }

  // What decides on units means nothing to a model that hears none.
  void check_turn_based(const std::string& base, const scripted_decisions& given) {
    const scripted_decisions none;
    const auto check = [&](const std::string& key, bool is_given) {
      if (is_given) report(base + key, "is a setting of a model-native talker: it needs `native: true`");
    };
    check("chunk_period_ms", given.chunk_period != none.chunk_period);
    check("speak_on_units", !given.speak_on_units.empty());
    check("keep_listening", given.keep_listening);
    check("fail_on_unit", given.fail_on_unit.has_value());
    check("stall_on_unit", given.stall_on_unit.has_value());
    check("lose_on_unit", given.lose_on_unit.has_value());
  }

  // After a unit that stalls or loses the model there is no other.
  void check_last_unit(const std::string& base, const scripted_decisions& given) {
    const std::string last_key = given.stall_on_unit ? "stall_on_unit" : "lose_on_unit";
    const auto last = given.stall_on_unit ? given.stall_on_unit : given.lose_on_unit;
    if (given.stall_on_unit && given.lose_on_unit) {
      report(base + "lose_on_unit", "is given beside stall_on_unit: only one unit can be the last", base + last_key);
    }
    if (last && given.fail_on_unit && *given.fail_on_unit >= *last) {
      report(base + "fail_on_unit", "is never reached: " + last_key + " comes first", base + last_key);
    }
  }

  reading& of_;
  const environment& env_;
  const config& value_;
  std::map<std::string, std::string> alias_owners_;
};

}  // namespace

void validate(reading& of, const environment& env) { validator{of, env}.run(); }

}  // namespace parley::config
