#include "config/assign.hpp"

#include <yaml-cpp/yaml.h>

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace parley::config {
namespace {

template <class Number>
std::optional<Number> parse_number(const std::string& text) {
  Number number{};
  const auto end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, number);
  if (parsed.ec != std::errc{} || parsed.ptr != end) return std::nullopt;
  return number;
}

std::string show(double number) {
  const auto whole = static_cast<std::int64_t>(number);
  return static_cast<double>(whole) == number ? std::to_string(whole) : std::to_string(number);
}

std::string found(const YAML::Node& value) {
  if (value.IsNull()) return "nothing";
  if (value.IsMap()) return "a map";
  if (value.IsSequence()) return "a list";
  return "`" + value.Scalar() + "`";
}

// yaml-cpp tags a quoted scalar "!": text, whatever it looks like.
bool is_plain(const YAML::Node& value) { return value.IsScalar() && value.Tag() != "!"; }

// One overload a target type. Each sets the target or reports what is wrong.
class assigner {
 public:
  assigner(const key& to, const YAML::Node& value, const value_mistake& report)
      : to_(to), value_(value), report_(report) {}

  void operator()(bool* target) const {
    if (is_plain(value_) && (value_.Scalar() == "true" || value_.Scalar() == "false")) {
      *target = value_.Scalar() == "true";
    } else {
      expected("true or false");
    }
  }
  void operator()(int* target) const { whole(*target, ""); }
  void operator()(std::size_t* target) const { whole(*target, ""); }
  void operator()(seconds* target) const { duration(*target, " of seconds"); }
  void operator()(milliseconds* target) const { duration(*target, " of milliseconds"); }
  void operator()(double* target) const {
    const auto number = is_plain(value_) ? parse_number<double>(value_.Scalar()) : std::nullopt;
    if (!number) return expected("a number");
    if (in_range(*number)) *target = *number;
  }
  void operator()(std::string* target) const {
    if (!value_.IsScalar()) return expected("text (\"\" for none)");
    *target = value_.Scalar();
  }
  template <class Value>
  void operator()(std::optional<Value>* target) const {
    if (value_.IsNull()) return target->reset();
    auto inner = target->value_or(Value{});
    bool right = true;
    const value_mistake watch = [&](const YAML::Node& at, const std::string& below, const std::string& text) {
      right = false;
      report_(at, below, text);
    };
    assigner{to_, value_, watch}(&inner);
    if (right) *target = std::move(inner);
  }
  void operator()(std::vector<std::string>* target) const {
    if (!value_.IsSequence()) return expected("a list of texts");
    target->clear();
    for (std::size_t i = 0; i < value_.size(); ++i) {
      if (value_[i].IsScalar()) {
        target->push_back(value_[i].Scalar());
      } else {
        report_(value_[i], index(i), "must be text, not " + found(value_[i]));
      }
    }
  }
  void operator()(std::vector<int>* target) const {
    if (!value_.IsSequence()) return expected("a list of whole numbers");
    target->clear();
    for (std::size_t i = 0; i < value_.size(); ++i) {
      const value_mistake at_index = [&](const YAML::Node& at, const std::string&, const std::string& text) {
        report_(at, index(i), text);
      };
      const YAML::Node entry = value_[i];
      assigner{to_, entry, at_index}(&target->emplace_back());
    }
  }
  // Entry by entry over what is there, as models are; null takes one out.
  void operator()(text_map* target) const {
    if (value_.IsNull()) return;
    if (!value_.IsMap()) return expected("a map of texts");
    std::set<std::string> seen;
    for (const auto& entry : value_) text_entry(entry.first, entry.second, seen, *target);
  }
  void operator()(std::vector<scripted_reply>* target) const {
    if (!value_.IsSequence()) return expected("a list of replies, each {text: ..., when: ...}");
    target->clear();
    for (std::size_t i = 0; i < value_.size(); ++i) target->push_back(reply(value_[i], index(i)));
  }
  void operator()(const choice& target) const {
    std::string list;
    for (std::size_t i = 0; i < target.words.size(); ++i) {
      if (value_.IsScalar() && value_.Scalar() == target.words[i]) return target.set(i);
      list += (i == 0 ? "" : ", ") + target.words[i];
    }
    expected("one of " + list);
  }

 private:
  static std::string index(std::size_t i) { return "[" + std::to_string(i) + "]"; }

  void expected(const std::string& what) const { report_(value_, "", "must be " + what + ", not " + found(value_)); }

  bool in_range(double number) const {
    if (number >= to_.least && number <= to_.most) return true;
    report_(value_, "", "must be from " + show(to_.least) + " to " + show(to_.most) + ", not " + value_.Scalar());
    return false;
  }

  template <class Whole>
  void whole(Whole& target, const std::string& unit) const {
    const auto number = is_plain(value_) ? parse_number<std::int64_t>(value_.Scalar()) : std::nullopt;
    if (!number) return expected("a whole number" + unit);
    if (in_range(static_cast<double>(*number))) target = static_cast<Whole>(*number);
  }

  template <class Duration>
  void duration(Duration& target, const std::string& unit) const {
    auto count = target.count();
    whole(count, unit);
    target = Duration{count};
  }

  void text_entry(const YAML::Node& id, const YAML::Node& text, std::set<std::string>& seen, text_map& target) const {
    if (!id.IsScalar() || id.Scalar().empty()) return report_(id, "", "an id must be a word");
    const auto at = "." + id.Scalar();
    if (!seen.insert(id.Scalar()).second) report_(id, at, "is given twice");
    if (text.IsNull()) {
      if (target.erase(id.Scalar()) == 0) report_(id, at, "there is no such text to remove");
    } else if (!text.IsScalar()) {
      report_(id, at, "must be text, not " + found(text));
    } else {
      target[id.Scalar()] = text.Scalar();
    }
  }

  scripted_reply reply(const YAML::Node& node, const std::string& at) const {
    scripted_reply made;
    if (!node.IsMap()) {
      report_(node, at, "must be {text: ..., when: ...}, not " + found(node));
      return made;
    }
    std::set<std::string> seen;
    for (const auto& entry : node) {
      const auto name = entry.first.IsScalar() ? entry.first.Scalar() : "?";
      const bool known = name == "text" || name == "when";
      if (!known) report_(entry.first, at + "." + name, "unknown key; a reply has text and when");
      if (!seen.insert(name).second) report_(entry.first, at + "." + name, "is given twice");
      if (known && !entry.second.IsScalar()) {
        report_(entry.first, at + "." + name, "must be text, not " + found(entry.second));
      } else if (name == "text") {
        made.text = entry.second.Scalar();
      } else if (name == "when") {
        made.when = entry.second.Scalar();
      }
    }
    if (!seen.contains("text")) report_(node, at, "needs text");
    return made;
  }

  const key& to_;
  const YAML::Node& value_;
  const value_mistake& report_;
};

}  // namespace

void assign(const key& to, const YAML::Node& value, const value_mistake& report) {
  std::visit([&](const auto& target) { assigner{to, value, report}(target); }, to.target);
}

}  // namespace parley::config
