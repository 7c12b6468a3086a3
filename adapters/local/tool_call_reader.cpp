#include "adapters/local/tool_call_reader.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <utility>

namespace parley::adapters::local {
namespace {

namespace json = boost::json;

constexpr std::size_t max_tool_calls = 64;  // of one answer

// Whole in one piece, so it is repaired by itself.
std::string name_member(const json::object& parent, std::string_view key) {
  const auto* found = parent.if_contains(key);
  return found && found->is_string() ? protocol::repaired_utf8(std::string(found->get_string())) : std::string{};
}

std::optional<std::size_t> index_of(const json::object& piece) {
  const auto* found = piece.if_contains("index");
  const auto* value = found ? found->if_int64() : nullptr;
  return value && *value >= 0 ? std::optional(static_cast<std::size_t>(*value)) : std::nullopt;
}

// Some servers send the arguments as JSON instead of a string of JSON.
std::string arguments_of(const json::object& function) {
  const auto* found = function.if_contains("arguments");
  if (!found || found->is_null()) return {};
  return found->is_string() ? std::string(found->get_string()) : json::serialize(*found);
}

}  // namespace

void object_end::take(std::string_view json) {
  for (const char c : json) {
    if (in_string_) {
      if (!escaped_ && c == '"') in_string_ = false;
      escaped_ = !escaped_ && c == '\\';
    } else if (c == '"') {
      in_string_ = true;
    } else if (c == '{' || c == '[') {
      ++depth_;
    } else if (c == '}' || c == ']') {
      reached_ = --depth_ <= 0;
    }
  }
}

tool_call_reader::tool_call_reader(std::string response, call_sink sink)
    : response_(std::move(response)), sink_(std::move(sink)) {}

bool tool_call_reader::read(const json::value& calls) {
  if (!calls.is_array()) return true;
  const auto& pieces = calls.get_array();
  for (std::size_t place = 0; place < pieces.size(); ++place) {
    const auto* object = pieces[place].if_object();
    if (!object) continue;
    piece one{.id = name_member(*object, "id"), .name = {}, .arguments = {}, .place = index_of(*object)};
    if (!one.place && pieces.size() > 1) one.place = place;
    const auto* function = object->if_contains("function");
    if (const auto* said = function ? function->if_object() : nullptr) {
      one.name = name_member(*said, "name");
      one.arguments = arguments_of(*said);
    }
    if (!add(std::move(one))) return false;
  }
  return true;
}

bool tool_call_reader::add(piece one) {
  call* const known = continued(one);
  call* const its = known ? known : open(one);
  if (!its) return false;
  latest_ = its;
  if (one.place) at_place_[*one.place] = its;
  if (its->given_id.empty()) its->given_id = one.id;
  if (its->name.empty()) its->name = std::move(one.name);
  its->arguments.take(one.arguments);
  its->unsent += its->repair.take(one.arguments);
  if (its == &calls_.front() && !its->name.empty()) give(*its, false);
  return true;
}

tool_call_reader::call* tool_call_reader::continued(const piece& one) {
  const auto placed = one.place ? at_place_.find(*one.place) : at_place_.end();
  const bool new_place = one.place && placed == at_place_.end();
  call* const there = placed != at_place_.end() ? placed->second : one.place ? nullptr : latest_;
  if (!one.id.empty() && (!there || there->given_id != one.id)) {
    // A server may give all its calls one id: then a new index with a name is a call of its own.
    call* const known = with_id(one.id);
    if (known && !(new_place && !one.name.empty())) return known;
    if (!there || !there->given_id.empty()) return nullptr;
  }
  if (!there) return nullptr;
  if (one.name.empty() || there->name.empty()) return there;
  if (one.name != there->name) return nullptr;
  const bool next_one = there->given_id.empty() && there->arguments.reached() && !one.arguments.empty();
  return next_one ? nullptr : there;
}

tool_call_reader::call* tool_call_reader::open(const piece& one) {
  if (calls_.size() == max_tool_calls) return nullptr;
  const bool taken = with_id(one.id) != nullptr;
  call& made = calls_.emplace_back();
  made.given_id = one.id;
  if (taken) made.id = "call_" + response_ + "_" + std::to_string(calls_.size() - 1);
  return &made;
}

tool_call_reader::call* tool_call_reader::with_id(const std::string& given) {
  if (given.empty()) return nullptr;
  const auto found = std::find_if(calls_.begin(), calls_.end(), [&](const call& one) { return one.given_id == given; });
  return found == calls_.end() ? nullptr : &*found;
}

void tool_call_reader::give(call& one, bool last) {
  if (last) one.unsent += one.repair.rest();
  if (!last && one.named && one.unsent.empty()) return;
  if (one.id.empty()) one.id = one.given_id;
  if (one.id.empty()) {
    const auto which = std::find_if(calls_.begin(), calls_.end(), [&](const call& other) { return &other == &one; });
    one.id = "call_" + response_ + "_" + std::to_string(which - calls_.begin());
  }
  one.any_arguments = one.any_arguments || !one.unsent.empty();
  runtime::model_tool_call out;
  out.call = protocol::call_id(one.id);
  if (!std::exchange(one.named, true)) out.name = one.name;
  out.arguments_delta = std::exchange(one.unsent, {});
  if (last && !one.any_arguments) out.arguments_delta = "{}";
  out.last = last;
  sink_(std::move(out));
}

bool tool_call_reader::finish(bool whole) {
  for (call& one : calls_) {
    if (one.name.empty()) return false;
    if (whole) give(one, true);
  }
  return true;
}

}  // namespace parley::adapters::local
