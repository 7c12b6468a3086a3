// Pieces of tool calls in a streamed chat completion -> each call named, whole and under an id of its own. Servers
// differ in how they say to which call a piece belongs, so each sign is used for what it is good for:
//
//   its id       one that is new opens a call, one that is known goes on with that call
//   its index    goes on with the call that was last there; without one its place among several pieces of a delta
//                stands in, and a piece by itself goes on with the call of the piece before
//   its name     another one opens a call; the same one is a repetition, or, where no ids are given and the arguments
//   so
//                far are a whole object, the next call of that function
//
// The call that was opened first is passed on as it comes, the others at the end, in the order they were opened.
#pragma once

#include "protocol/utf8_repair.hpp"
#include "runtime/model.hpp"

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace boost::json {
class value;
class object;
}  // namespace boost::json

namespace parley::adapters::local {

// Whether JSON that comes in pieces is a whole object. Thread safety: none.
class object_end {
 public:
  void take(std::string_view json);
  [[nodiscard]] bool reached() const noexcept { return reached_; }

 private:
  int depth_ = 0;
  bool in_string_ = false;
  bool escaped_ = false;
  bool reached_ = false;
};

// Thread safety: none; used on one thread.
class tool_call_reader {
 public:
  using call_sink = std::function<void(runtime::model_tool_call)>;

  // `response` makes ids for calls that the server gave none.
  tool_call_reader(std::string response, call_sink sink);

  // The member tool_calls of a delta. False: more calls than an answer may have.
  [[nodiscard]] bool read(const boost::json::value& calls);
  // The answer is over; unless it is whole, its calls are not to be run. False: one of them has no name.
  [[nodiscard]] bool finish(bool whole);

 private:
  struct call {
    std::string id{};        // as shown
    std::string given_id{};  // by the server
    std::string name{};
    std::string unsent{};  // arguments
    protocol::utf8_repair repair{};
    object_end arguments{};
    bool any_arguments = false;
    bool named = false;  // the first piece was given
  };
  struct piece {
    std::string id;
    std::string name;
    std::string arguments;
    std::optional<std::size_t> place{};
  };

  [[nodiscard]] bool add(piece one);
  [[nodiscard]] call* continued(const piece& one);  // null: it opens a call
  [[nodiscard]] call* open(const piece& one);       // null: there are too many
  [[nodiscard]] call* with_id(const std::string& given);
  void give(call& one, bool last);

  const std::string response_;
  const call_sink sink_;
  std::deque<call> calls_;                 // in the order they were opened
  std::map<std::size_t, call*> at_place_;  // the latest of each index
  call* latest_ = nullptr;                 // of the piece before
};

}  // namespace parley::adapters::local
