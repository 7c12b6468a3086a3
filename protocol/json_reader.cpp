#include "protocol/json_reader.hpp"

#include "protocol/lone_surrogates.hpp"

#include <simdjson.h>

#include <bit>
#include <cmath>
#include <iterator>
#include <sstream>
#include <utility>

namespace parley::protocol {
namespace {

namespace dom = simdjson::dom;

// Longest path in an error. Those of the API's own fields are far shorter.
constexpr std::size_t longest_path_bytes = 512;
// A document above this size is rare; what its parse allocated (about 14 bytes for each of its own) is given back.
constexpr std::size_t kept_capacity_bytes = 1024 * 1024;

std::string in_quotes(std::string_view text) { return "'" + std::string{text} + "'"; }

std::string range_text(double low, double high) {
  std::ostringstream text;
  text.precision(15);
  text << "expected a number from " << low << " to " << high << '.';
  return text.str();
}

dom::element element_of(const std::array<std::uint64_t, 2>& node) noexcept { return std::bit_cast<dom::element>(node); }

std::string_view type_name(dom::element element) noexcept {
  switch (element.type()) {
    case dom::element_type::ARRAY:
      return "an array";
    case dom::element_type::OBJECT:
      return "an object";
    case dom::element_type::STRING:
      return "a string";
    case dom::element_type::BOOL:
      return "a boolean";
    case dom::element_type::NULL_VALUE:
      return "null";
    default:
      return "a number";
  }
}

std::string parse_problem(simdjson::error_code error) {
  switch (error) {
    case simdjson::EMPTY:
      return "The message is empty.";
    case simdjson::UTF8_ERROR:
      return "The message is not valid UTF-8.";
    case simdjson::NUMBER_ERROR:
      return "The message holds a number that is malformed or out of range.";
    case simdjson::DEPTH_ERROR:
      return "The message is nested too deeply: at most " + std::to_string(max_json_depth) + " levels are accepted.";
    default:
      return "The message is not one valid JSON document.";
  }
}

}  // namespace

void first_error::record(errc code, std::string message, std::optional<std::string> param) {
  if (error_) return;
  error_ = wire_error{error_class::invalid_request_error, code, std::move(message), std::move(param), {}};
}

// ---- where a value is -------------------------------------------------------------------------------------------

std::string json_value::path() const {
  std::string own = index_ ? "[" + std::to_string(*index_) + "]" : shortened(name_);
  if (parent_ == nullptr) return {};
  std::string outer = parent_->path();  // as deep as the vocabulary is, not as the document
  return outer + (outer.empty() || index_ ? "" : ".") + own;
}

json_value json_value::child(std::string_view name) const {
  json_value absent;
  absent.parent_ = this;
  absent.error_ = error_;
  absent.name_ = name;
  return absent;
}

// ---- what is wrong with it --------------------------------------------------------------------------------------

void json_value::refuse(std::string_view problem, errc code) const {
  const std::string where = shortened(path(), longest_path_bytes);
  error_->record(code, "Invalid value for " + in_quotes(where) + ": " + std::string{problem}, where);
}

void json_value::refuse_unknown() const {
  if (error_->is_lenient()) return;
  const std::string where = path();
  error_->record(errc::unknown_parameter, "Unknown parameter: " + in_quotes(where) + ".", where);
}

bool json_value::expect(bool right_type, std::string_view expected) const {
  if (right_type) return true;
  if (failed()) return false;
  const std::string where = path();
  if (!present_) {
    error_->record(errc::missing_required_parameter, "Missing required parameter: " + in_quotes(where) + ".", where);
  } else {
    error_->record(errc::invalid_type,
                   "Invalid type for " + in_quotes(where) + ": expected " + std::string{expected} + ", got " +
                       std::string{type_name(element_of(element_))} + ".",
                   where);
  }
  return false;
}

// ---- scalars ----------------------------------------------------------------------------------------------------

bool json_value::is_null() const { return present_ && element_of(element_).is_null(); }
bool json_value::is_string() const { return present_ && element_of(element_).is_string(); }
bool json_value::is_array() const { return present_ && element_of(element_).is_array(); }
bool json_value::is_object() const { return present_ && element_of(element_).is_object(); }

std::string_view json_value::text() const {
  if (!expect(is_string(), "a string")) return {};
  std::string_view text;
  if (element_of(element_).get_string().get(text) != simdjson::SUCCESS) return {};
  return text;
}

std::string_view json_value::text_within(std::size_t shortest, std::size_t longest) const {
  const std::string_view read = text();
  const std::size_t length = character_count(read);
  if (length >= shortest && length <= longest) return read;
  refuse("expected " + std::to_string(shortest) + " to " + std::to_string(longest) + " characters.");
  return {};
}

bool json_value::boolean() const {
  const std::optional<bool> value = if_boolean();
  return expect(value.has_value(), "a boolean") && *value;
}

std::optional<double> json_value::numeric() const {
  const std::optional<double> value = if_number();
  if (!value) (void)expect(false, "a number");
  return value;
}

double json_value::number(double low, double high) const {
  const std::optional<double> value = numeric();
  if (!value) return low;
  if (*value >= low && *value <= high) return *value;
  refuse(range_text(low, high));
  return low;
}

std::int64_t json_value::ranged(double value, std::int64_t low, std::int64_t high) const {
  const auto lowest = static_cast<double>(low);
  const auto highest = static_cast<double>(high);
  if (value >= lowest && value <= highest) return static_cast<std::int64_t>(value);
  refuse(range_text(lowest, highest));
  return low;
}

std::int64_t json_value::integer(std::int64_t low, std::int64_t high) const {
  const std::optional<double> value = numeric();
  if (!value) return low;
  if (std::floor(*value) != *value) refuse("expected an integer.");
  return ranged(*value, low, high);
}

std::int64_t json_value::floored(std::int64_t low, std::int64_t high) const {
  const std::optional<double> value = numeric();
  return value ? ranged(std::floor(*value), low, high) : low;
}

std::optional<double> json_value::if_number() const {
  double value = 0;
  if (!present_ || element_of(element_).get_double().get(value) != simdjson::SUCCESS) return std::nullopt;
  return value;
}

std::optional<bool> json_value::if_boolean() const {
  bool value = false;
  if (!present_ || element_of(element_).get_bool().get(value) != simdjson::SUCCESS) return std::nullopt;
  return value;
}

std::optional<std::string_view> json_value::if_text() const {
  if (!is_string()) return std::nullopt;
  return text();
}

raw_json json_value::raw() const {
  if (!expect(present_, "a value")) return {};
  return raw_json{simdjson::minify(element_of(element_))};
}

void json_value::require_object() const { (void)expect(is_object(), "an object"); }

raw_json json_value::raw_object() const { return expect(is_object(), "an object") ? raw() : raw_json{"{}"}; }

std::size_t json_value::index_of(std::span<const std::string_view> names) const {
  const std::string_view read = text();
  const auto found = std::find(names.begin(), names.end(), read);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  if (failed()) return 0;
  std::string problem = quoted(read) + " is not one of";
  for (const std::string_view name : names) problem += (name == names.front() ? " " : ", ") + in_quotes(name);
  refuse(problem + ".");
  return 0;
}

// ---- containers -------------------------------------------------------------------------------------------------

void json_value::for_each_member(const std::function<void(const json_value&)>& visit) const {
  visit_members([&](const json_value& member) {
    if (!failed()) visit(member);
  });
}

void json_value::visit_members(const std::function<void(const json_value&)>& visit) const {
  if (!expect(is_object(), "an object")) return;
  dom::object object;
  if (element_of(element_).get_object().get(object) != simdjson::SUCCESS) return;
  for (const auto [key, value] : object) {
    json_value member = child(key);
    member.element_ = std::bit_cast<node>(value);
    member.present_ = true;
    visit(member);
  }
}

void json_value::for_each_element(const std::function<void(const json_value&)>& visit) const {
  dom::array array;
  if (!expect(present_ && element_of(element_).get_array().get(array) == simdjson::SUCCESS, "an array")) return;
  std::size_t index = 0;
  for (const dom::element value : array) {
    if (failed()) return;
    json_value element = child({});
    element.element_ = std::bit_cast<node>(value);
    element.present_ = true;
    element.index_ = index++;
    visit(element);
  }
}

std::size_t json_value::element_count() const {
  std::size_t count = 0;
  for_each_element([&](const json_value&) { ++count; });
  return count;
}

void json_value::collect(std::span<const std::string_view> names, unknown_members others,
                         std::span<json_value> found) const {
  std::transform(names.begin(), names.end(), found.begin(), [this](std::string_view name) { return child(name); });
  visit_members([&](const json_value& member) {
    const auto known = std::find(names.begin(), names.end(), member.name());
    if (known != names.end()) {
      found[static_cast<std::size_t>(known - names.begin())] = member;
    } else if (others == unknown_members::refused) {
      member.refuse_unknown();
    }
  });
}

// ---- document ---------------------------------------------------------------------------------------------------

namespace {

// The string before which `left` others stand, keys among them, in the order of the document.
void refuse_string(const json_value& value, std::size_t& left) {
  constexpr std::string_view problem = "the text holds half of a surrogate pair.";
  if (value.is_string() && left-- == 0) return value.refuse(problem);
  if (value.is_array()) return value.for_each_element([&](const json_value& each) { refuse_string(each, left); });
  if (!value.is_object()) return;
  value.for_each_member([&](const json_value& member) {
    if (left-- == 0) return member.refuse(problem);
    refuse_string(member, left);
  });
}

}  // namespace

struct json_document::impl {
  dom::parser parser;
};

json_document::json_document() = default;
json_document::~json_document() = default;
json_document::json_document(json_document&&) noexcept = default;
json_document& json_document::operator=(json_document&&) noexcept = default;

std::optional<json_value> json_document::parse(frame_view frame, first_error& error) {
  simdjson::error_code failure = simdjson::SUCCESS;
  if (!impl_) {
    impl_ = std::make_unique<impl>();
    // The parser wants room for one level more. parse() grows the capacity and keeps the depth.
    failure = impl_->parser.allocate(0, max_json_depth + 1);
  }
  dom::element root;
  // The frame is padded (frame_padding_bytes), so it is read in place.
  if (failure == simdjson::SUCCESS) failure = impl_->parser.parse(frame.data, frame.size, false).get(root);
  if (failure == simdjson::STRING_ERROR) {
    if (auto mended = parse_mended(frame, error)) return mended;
  }
  if (failure == simdjson::SUCCESS) return json_value{std::bit_cast<json_value::node>(root), error};
  error.record(errc::invalid_json, parse_problem(failure), {});
  return std::nullopt;
}

std::optional<json_value> json_document::parse_mended(frame_view frame, first_error& error) {
  const auto mended = mend_lone_surrogates({frame.data, frame.size});
  dom::element root;
  if (!mended || impl_->parser.parse(mended->text.data(), mended->size, false).get(root) != simdjson::SUCCESS) {
    return std::nullopt;
  }
  json_value value{std::bit_cast<json_value::node>(root), error};
  std::size_t before = mended->broken_string;
  refuse_string(value, before);
  return value;
}

void json_document::release() {
  if (impl_ && impl_->parser.capacity() > kept_capacity_bytes) impl_.reset();
}

}  // namespace parley::protocol
