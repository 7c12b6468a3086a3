// Appends compact JSON to a string, with no tree in between: the caller says begin, key, value, end in order and gets
// exactly that text. It keeps no state of its own: whether a comma is due shows in the last byte written, because a
// value never ends in one of `{ [ :`. REQUIRES: the string is empty or ends inside the JSON that is being written;
// text is UTF-8; keys need no escaping.
//
// Thread safety: none; a writer lives inside one function.
#pragma once

#include "protocol/ids.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace parley::protocol {

class json_writer {
 public:
  explicit json_writer(std::string& out) noexcept : out_(out) {}

  void begin_object() { open('{'); }
  void end_object() { out_ += '}'; }
  void begin_array() { open('['); }
  void end_array() { out_ += ']'; }
  void key(std::string_view name);
  // A key of a client's, which may need escaping.
  void free_key(std::string_view name) {
    value(name);
    out_ += ':';
  }

  void value(std::string_view text);
  void value(const char* text) { value(std::string_view{text}); }
  void value(const std::string& text) { value(std::string_view{text}); }
  void value(std::same_as<bool> auto flag) { word(flag ? "true" : "false"); }
  template <std::integral Number>
  requires(!std::same_as<Number, bool>) void value(Number number) { integer(static_cast<std::int64_t>(number)); }
  void value(double number);  // the shortest text that reads back; null when not finite
  void value(std::nullptr_t) { word("null"); }
  void value(const raw_json& json) { word(json.text); }
  template <class Tag>
  void value(const id<Tag>& name) {
    value(name.value);
  }
  template <class T>
  void value(const std::optional<T>& maybe) {
    if (maybe) {
      value(*maybe);
    } else {
      value(nullptr);
    }
  }

  template <class T>
  void member(std::string_view name, const T& content) {
    key(name);
    value(content);
  }
  void begin_object(std::string_view name) {
    key(name);
    begin_object();
  }
  void begin_array(std::string_view name) {
    key(name);
    begin_array();
  }

 private:
  void comma();
  void open(char bracket);
  void word(std::string_view text);
  void integer(std::int64_t number);

  std::string& out_;
};

}  // namespace parley::protocol
