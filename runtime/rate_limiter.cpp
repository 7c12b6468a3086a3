#include "runtime/rate_limiter.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

namespace parley::runtime {

namespace {

constexpr double window_seconds = 60;

}  // namespace

rate_limiter::rate_limiter(std::optional<int> responses, std::optional<int> tokens) {
  if (responses) responses_ = bucket{static_cast<double>(*responses), static_cast<double>(*responses)};
  if (tokens) tokens_ = bucket{static_cast<double>(*tokens), static_cast<double>(*tokens)};
}

void rate_limiter::refill(time_point now) {
  const double passed = std::chrono::duration<double>(now - std::exchange(refilled_, now)).count();
  for (auto* one : {&responses_, &tokens_}) {
    if (*one) (*one)->left = std::min((*one)->limit, (*one)->left + passed * (*one)->limit / window_seconds);
  }
}

bool rate_limiter::admit(time_point now) {
  refill(now);
  if (responses_ && responses_->left < 1) return false;
  if (tokens_ && tokens_->left < 1) return false;
  if (responses_) responses_->left -= 1;
  return true;
}

void rate_limiter::spend_tokens(int tokens, time_point now) {
  refill(now);
  if (tokens_) tokens_->left -= tokens;
}

protocol::rate_limit rate_limiter::shown(protocol::rate_limit_name name, const bucket& one) {
  return {.name = name,
          .limit = static_cast<std::int64_t>(one.limit),
          .remaining = std::max<std::int64_t>(0, static_cast<std::int64_t>(std::floor(one.left))),
          .reset_seconds = (one.limit - one.left) * window_seconds / one.limit};
}

std::vector<protocol::rate_limit> rate_limiter::state(time_point now) {
  refill(now);
  std::vector<protocol::rate_limit> all;
  if (responses_) all.push_back(shown(protocol::rate_limit_name::requests, *responses_));
  if (tokens_) all.push_back(shown(protocol::rate_limit_name::tokens, *tokens_));
  return all;
}

}  // namespace parley::runtime
