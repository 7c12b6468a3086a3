// The steps of a duplex session that wait while the model decides on a unit, in the order they came: appends and
// commands. It knows what they cost; what may still come in is its owner's business.
// Thread safety: none; owned by the session.
#pragma once

#include "protocol/command.hpp"
#include "runtime/duplex_input.hpp"

#include <cstddef>
#include <deque>
#include <memory>
#include <variant>

namespace parley::runtime {

class waiting_line {
 public:
  // A command is large and seldom: by pointer, so that an append does not take its room.
  using step = std::variant<heard_append, std::unique_ptr<const protocol::command>>;

  [[nodiscard]] bool empty() const noexcept { return steps_.empty(); }
  [[nodiscard]] std::size_t size() const noexcept { return steps_.size(); }
  [[nodiscard]] std::size_t cost_bytes() const noexcept { return cost_bytes_; }
  [[nodiscard]] std::size_t commands() const noexcept { return commands_; }
  [[nodiscard]] std::size_t commits() const noexcept { return commits_; }

  void push(heard_append append);
  void push(const protocol::command& one);
  [[nodiscard]] step pop();  // REQUIRES: !empty()
  // Appends behind the last command.
  void drop_open_appends();
  // Appends, commits and clears.
  void drop_input();

  // What that append will cost in line.
  [[nodiscard]] static std::size_t cost_of(const heard_append& append) noexcept;
  [[nodiscard]] static std::size_t cost_of(const protocol::command& one) noexcept;

 private:
  struct entry {
    step what;
    std::size_t cost_bytes = 0;
  };
  void count(const entry& one) noexcept;
  void discount(const entry& one) noexcept;

  std::deque<entry> steps_;
  std::size_t cost_bytes_ = 0;
  std::size_t commands_ = 0;
  std::size_t commits_ = 0;
};

}  // namespace parley::runtime
