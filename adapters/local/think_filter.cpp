#include "adapters/local/think_filter.hpp"

#include <algorithm>
#include <utility>

namespace parley::adapters::local {
namespace {

constexpr std::string_view opening = "<think>";
constexpr std::string_view closing = "</think>";

// How many characters at the end of `text` may be the beginning of `tag`.
std::size_t started_tag(std::string_view text, std::string_view tag) {
  for (std::size_t length = std::min(text.size(), tag.size() - 1); length > 0; --length) {
    if (text.ends_with(tag.substr(0, length))) return length;
  }
  return 0;
}

}  // namespace

std::string think_filter::take(std::string_view piece) {
  held_ += piece;
  std::string said;
  for (;;) {
    const auto tag = thinking_ ? closing : opening;
    const auto at = held_.find(tag);
    const auto end = at == held_.npos ? held_.size() - started_tag(held_, tag) : at;
    if (!thinking_) said.append(held_, 0, end);
    held_.erase(0, at == held_.npos ? end : end + tag.size());
    if (at == held_.npos) return from_first_word(std::move(said));
    thinking_ = !thinking_;
  }
}

std::string think_filter::rest() { return thinking_ ? std::string{} : from_first_word(std::exchange(held_, {})); }

std::string think_filter::from_first_word(std::string text) {
  if (started_) return text;
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == text.npos) return {};
  started_ = true;
  return text.substr(first);
}

}  // namespace parley::adapters::local
