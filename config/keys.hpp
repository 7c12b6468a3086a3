// The table of all keys: name, member, range. A key is stated here once and nowhere else in code; the reader, the hints
// for misspelt keys and the tests walk this table. To add one: a member in config.hpp, a line in keys.cpp, a line in
// default.yaml.
#pragma once

#include "config/config.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace parley::config {

// One word out of a list. `set` is called with the word's place in `words`.
struct choice {
  std::vector<std::string> words;
  std::function<void(std::size_t index)> set;
};

// Id -> text.
using text_map = std::map<std::string, std::string>;

// Where a key's value goes; the type decides what is accepted. An optional takes null as "none", everything else
// refuses it.
using key_target =
    std::variant<bool*, int*, std::size_t*, double*, seconds*, milliseconds*, std::string*, std::optional<bool>*,
                 std::optional<int>*, std::optional<seconds>*, std::optional<std::string>*, std::vector<std::string>*,
                 std::vector<int>*, text_map*, std::vector<scripted_reply>*, choice>;

struct key {
  std::string name;  // path below the table's root: "server.listen"; "llm.url" in the table of a model
  key_target target;
  double least = 0;  // range of a number, both ends included, in the unit the name says
  double most = 0;
  std::optional<adapter_kind> only{};  // a setting of this adapter; absent: of every model
};

// The keys of everything but `models`. They point into `value`, which must outlive the table.
[[nodiscard]] std::vector<key> keys_of(config& value);

// The keys of one model, those of every adapter. They point into `value`, which must outlive the table.
[[nodiscard]] std::vector<key> keys_of(model_config& value);

[[nodiscard]] std::string to_string(adapter_kind kind);

}  // namespace parley::config
