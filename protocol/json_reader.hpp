// The typed way from a parsed client event to settings: every read names the type and the range it accepts, and knows
// the path of its field, so that an error can say `session.tools[3].name`. Internal to the decoder.
//
// Errors are sticky: the first one is kept (first_error), every later read still returns a plain default, and the
// caller looks once at the end. Code that reads a field therefore has no error branches. A member that is given twice
// counts with its last value. Nothing here recurses deeper than a document may be nested.
#pragma once

#include "protocol/decode.hpp"
#include "protocol/ids.hpp"
#include "protocol/quote.hpp"
#include "protocol/wire_error.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace parley::protocol {

// What to do with members of an object that the reader does not know.
enum class unknown_members : std::uint8_t { ignored, refused };

// Keeps the first thing found wrong with an event. Of a lenient event unknown members are never wrong, whatever a
// reader says of them.
class first_error {
 public:
  explicit first_error(unknown_members unknown = unknown_members::refused) noexcept : unknown_(unknown) {}

  void record(errc code, std::string message, std::optional<std::string> param);
  [[nodiscard]] bool failed() const noexcept { return error_.has_value(); }
  [[nodiscard]] bool is_lenient() const noexcept { return unknown_ == unknown_members::ignored; }
  // REQUIRES: failed().
  [[nodiscard]] wire_error take() { return std::move(*error_); }

 private:
  unknown_members unknown_;
  std::optional<wire_error> error_;
};

template <class Enum>
struct choice {
  std::string_view name;
  Enum value;
};

// One value of a document, present or not. It points to the value that contains it, to the document and to the error
// slot: all three must outlive it, so values live on the stack of the functions that walk the event.
class json_value {
 public:
  json_value() = default;

  [[nodiscard]] bool present() const noexcept { return present_; }
  [[nodiscard]] bool is_null() const;
  [[nodiscard]] bool given() const { return present_ && !is_null(); }
  [[nodiscard]] bool is_string() const;
  [[nodiscard]] bool is_object() const;
  [[nodiscard]] bool is_array() const;
  [[nodiscard]] std::string_view name() const noexcept { return name_; }  // its key in the object that holds it
  [[nodiscard]] std::string path() const;                                 // "" for the event itself
  [[nodiscard]] bool failed() const noexcept { return error_->failed(); }

  // Each records missing_required_parameter when the value is absent, invalid_type when its type is another one and
  // invalid_value when it is out of range. Lengths count characters (code points).
  [[nodiscard]] std::string_view text() const;  // lives as long as the document
  [[nodiscard]] std::string_view text_within(std::size_t shortest, std::size_t longest) const;
  [[nodiscard]] std::string string() const { return std::string{text()}; }
  [[nodiscard]] bool boolean() const;
  [[nodiscard]] double number(double low, double high) const;
  // Accepts 300.0, not 300.5.
  [[nodiscard]] std::int64_t integer(std::int64_t low, std::int64_t high) const;
  // Rounds down: 12.7 is 12.
  [[nodiscard]] std::int64_t floored(std::int64_t low, std::int64_t high) const;
  // The value as compact JSON.
  [[nodiscard]] raw_json raw() const;
  [[nodiscard]] raw_json raw_object() const;
  void require_object() const;

  template <class Enum, std::size_t Count>
  [[nodiscard]] Enum one_of(const choice<Enum> (&choices)[Count]) const {
    std::array<std::string_view, Count> names;
    std::transform(std::begin(choices), std::end(choices), names.begin(), [](const auto& each) { return each.name; });
    return choices[index_of(names)].value;
  }

  // The named members of this object, also of an event that has failed; those that are not there are absent values.
  template <std::size_t Count>
  [[nodiscard]] std::array<json_value, Count> members(const std::string_view (&names)[Count],
                                                      unknown_members others = unknown_members::ignored) const {
    std::array<json_value, Count> found;
    collect(names, others, found);
    return found;
  }

  // Visits the members of this object, or the elements of this array, in order, until the event has failed.
  void for_each_member(const std::function<void(const json_value&)>& visit) const;
  void for_each_element(const std::function<void(const json_value&)>& visit) const;
  [[nodiscard]] std::size_t element_count() const;

  // The same without any error: nothing where the value is of another type, or absent.
  [[nodiscard]] std::optional<double> if_number() const;
  [[nodiscard]] std::optional<bool> if_boolean() const;
  [[nodiscard]] std::optional<std::string_view> if_text() const;

  // Records an error of this field; `problem` follows "Invalid value for 'path': ".
  void refuse(std::string_view problem, errc code = errc::invalid_value) const;
  void refuse_unknown() const;

 private:
  friend class json_document;
  // A simdjson::dom::element, stored so that only json_reader.cpp needs simdjson.
  using node = std::array<std::uint64_t, 2>;

  json_value(node element, first_error& error) : element_(element), error_(&error), present_(true) {}
  [[nodiscard]] json_value child(std::string_view name) const;
  [[nodiscard]] bool expect(bool right_type, std::string_view expected) const;
  [[nodiscard]] std::optional<double> numeric() const;
  [[nodiscard]] std::int64_t ranged(double value, std::int64_t low, std::int64_t high) const;
  [[nodiscard]] std::size_t index_of(std::span<const std::string_view> names) const;
  void visit_members(const std::function<void(const json_value&)>& visit) const;
  void collect(std::span<const std::string_view> names, unknown_members others, std::span<json_value> found) const;

  node element_{};
  const json_value* parent_ = nullptr;
  first_error* error_ = nullptr;
  std::string_view name_{};             // of a member
  std::optional<std::size_t> index_{};  // of an element
  bool present_ = false;
};

// A member that a patch or an options struct has, and how it is read into it.
template <class Target>
struct field {
  std::string_view name;
  void (*read)(const json_value&, Target&);
};

// False: it is none of `known`.
template <class Target, std::size_t Count>
bool read_field(const json_value& member, const field<Target> (&known)[Count], Target& target) {
  const auto found = std::find_if(std::begin(known), std::end(known),
                                  [&](const field<Target>& each) { return each.name == member.name(); });
  if (found == std::end(known)) return false;
  found->read(member, target);
  return true;
}

// Reads an object of which every member must be one of `known`.
template <class Target, std::size_t Count>
void read_fields(const json_value& object, const field<Target> (&known)[Count], Target& target) {
  object.for_each_member([&](const json_value& member) {
    if (!read_field(member, known, target)) member.refuse_unknown();
  });
}

// Parses and validates a frame whole: UTF-8, syntax, numbers, nesting up to max_json_depth, one document.
// Owns the parsed document; values point into it until the next parse() or release().
// Thread safety: none.
class json_document {
 public:
  json_document();
  ~json_document();
  json_document(json_document&&) noexcept;
  json_document& operator=(json_document&&) noexcept;

  // Nothing when the frame is not one JSON document; the error says why. A text with half a surrogate pair in it is an
  // error of its field: the document comes all the same, with U+FFFD there.
  [[nodiscard]] std::optional<json_value> parse(frame_view frame, first_error& error);
  // Gives memory back that only an unusually large frame needed.
  void release();

 private:
  struct impl;
  // The same when a text in it holds half a surrogate pair and nothing else is wrong.
  [[nodiscard]] std::optional<json_value> parse_mended(frame_view frame, first_error& error);

  std::unique_ptr<impl> impl_;
};

}  // namespace parley::protocol
