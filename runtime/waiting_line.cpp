#include "runtime/waiting_line.hpp"

#include "runtime/input_cost.hpp"

#include <utility>

namespace parley::runtime {

using namespace protocol;

namespace {

const command* command_of(const waiting_line::step& one) noexcept {
  const auto* const held = std::get_if<std::unique_ptr<const command>>(&one);
  return held ? held->get() : nullptr;
}

bool is_commit(const command& one) noexcept { return std::holds_alternative<input_audio_commit>(one.body); }

bool is_input(const waiting_line::step& one) noexcept {
  const command* const other = command_of(one);
  return !other || is_commit(*other) || std::holds_alternative<input_audio_clear>(other->body);
}

}  // namespace

std::size_t waiting_line::cost_of(const heard_append& append) noexcept { return sizeof(entry) + append.heap_bytes(); }

std::size_t waiting_line::cost_of(const command& one) noexcept { return sizeof(entry) + runtime::cost_of(one); }

void waiting_line::count(const entry& one) noexcept {
  cost_bytes_ += one.cost_bytes;
  const command* const other = command_of(one.what);
  commands_ += other ? 1 : 0;
  commits_ += other && is_commit(*other) ? 1 : 0;
}

void waiting_line::discount(const entry& one) noexcept {
  cost_bytes_ -= one.cost_bytes;
  const command* const other = command_of(one.what);
  commands_ -= other ? 1 : 0;
  commits_ -= other && is_commit(*other) ? 1 : 0;
}

void waiting_line::push(heard_append append) {
  const std::size_t cost = cost_of(append);
  steps_.push_back({std::move(append), cost});
  count(steps_.back());
}

void waiting_line::push(const command& one) {
  steps_.push_back({std::make_unique<const command>(one), cost_of(one)});
  count(steps_.back());
}

waiting_line::step waiting_line::pop() {
  discount(steps_.front());
  step first = std::move(steps_.front().what);
  steps_.pop_front();
  return first;
}

void waiting_line::drop_open_appends() {
  while (!steps_.empty() && !command_of(steps_.back().what)) {
    discount(steps_.back());
    steps_.pop_back();
  }
}

void waiting_line::drop_input() {
  for (const entry& one : steps_)
    if (is_input(one.what)) discount(one);
  std::erase_if(steps_, [](const entry& one) { return is_input(one.what); });
}

}  // namespace parley::runtime
