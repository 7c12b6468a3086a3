#include "adapters/prompt_text.hpp"

#include <algorithm>

namespace parley::adapters {
namespace {

constexpr std::string_view blanks = " \t\r\n";

int words_in(std::string_view text) {
  return text.find_first_not_of(blanks) == text.npos ? 0 : static_cast<int>(split_words(text).size());
}

}  // namespace

std::string text_of(const protocol::item& message) {
  std::string all;
  const auto add = [&all](std::string_view text) {
    if (!all.empty() && !text.empty()) all += ' ';
    all += text;
  };
  for (const auto& part : message.content) {
    if (part.type != protocol::part_type::input_image) add(part.text);
    if (part.transcript) add(*part.transcript);
  }
  return all;
}

const protocol::item* last_user_message(const prompt& items) {
  const auto found = std::find_if(items.rbegin(), items.rend(), [](const auto& item) {
    return item->type == protocol::item_type::message && item->role == protocol::item_role::user;
  });
  return found == items.rend() ? nullptr : found->get();
}

std::string last_user_text(const prompt& items) {
  const auto* message = last_user_message(items);
  return message ? text_of(*message) : std::string{};
}

std::string images_seen(const protocol::item& message) {
  const auto count = std::count_if(message.content.begin(), message.content.end(),
                                   [](const auto& part) { return part.type == protocol::part_type::input_image; });
  if (count == 0) return {};
  return "I see " + std::to_string(count) + (count == 1 ? " image." : " images.");
}

int count_words(const prompt& items) {
  int words = 0;
  for (const auto& item : items) words += words_in(text_of(*item)) + words_in(item->arguments) + words_in(item->output);
  return words;
}

std::vector<std::string> split_words(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const auto start = text.find_first_not_of(blanks);
    const auto end = start == text.npos ? text.npos : text.find_first_of(blanks, start);
    const bool last = end == text.npos || text.find_first_not_of(blanks, end) == text.npos;
    words.emplace_back(text.substr(0, last ? text.npos : end));
    text.remove_prefix(last ? text.size() : end);
  }
  return words;
}

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(blanks);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::string lower_case(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return out;
}

bool contains_no_case(std::string_view text, std::string_view part) {
  return lower_case(text).find(lower_case(part)) != std::string::npos;
}

}  // namespace parley::adapters
