// The session's allowance of responses and tokens a minute: two buckets that refill evenly. A response needs one of
// the first and any of the second; its tokens are taken when it is over, so a long one can leave the bucket in debt.
// Thread safety: none; owned by the session.
#pragma once

#include "protocol/event.hpp"
#include "runtime/clock.hpp"

#include <optional>
#include <vector>

namespace parley::runtime {

class rate_limiter {
 public:
  // Each a minute; empty = without limit.
  rate_limiter(std::optional<int> responses, std::optional<int> tokens);

  // Takes one response; false when none is left and nothing was taken.
  [[nodiscard]] bool admit(time_point now);
  void spend_tokens(int tokens, time_point now);
  // What rate_limits.updated shows; empty without limits.
  [[nodiscard]] std::vector<protocol::rate_limit> state(time_point now);

 private:
  struct bucket {
    double limit = 0;
    double left = 0;
  };
  void refill(time_point now);
  [[nodiscard]] static protocol::rate_limit shown(protocol::rate_limit_name name, const bucket& one);

  std::optional<bucket> responses_;
  std::optional<bucket> tokens_;
  time_point refilled_{};
};

}  // namespace parley::runtime
