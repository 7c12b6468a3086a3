// The token that lets a client come back to its session: 32 random bytes in base64url. Only hashes are kept, and they
// are compared in constant time. Each resume rotates it:
//
//   issue() --> [current] --used--> replace() --> [current] + the one just used, dead --arrived in doubt-->
//   reinstate(): both are good for one more resume
//
// A token that was rotated in a message which never arrived must not be the only good one: its client would be locked
// out. Lifecycle: a part of the session; nothing here is logged.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace parley::server {

class resume_tokens {
 public:
  // A fresh token; nothing changes yet. REQUIRES: prepare_randomness() was called.
  [[nodiscard]] static std::string fresh();

  explicit resume_tokens(std::string_view first) : current_(hashed(first)) {}

  [[nodiscard]] bool accepts(std::string_view token) const;
  // It was good for the resume before, and reinstate() would make it good again.
  [[nodiscard]] bool was_used_last(std::string_view token) const;
  // `used` brought its client back, which now has `next`.
  void replace(std::string_view used, std::string_view next);
  // Whether the client has got the current token is in doubt.
  void reinstate() noexcept { doubtful_ = true; }

 private:
  using hash = std::array<unsigned char, 32>;
  [[nodiscard]] static hash hashed(std::string_view token);
  [[nodiscard]] static bool same(const hash& one, const hash& other);

  hash current_;
  std::optional<hash> used_;
  bool doubtful_ = false;
  // Thread safety: none; used on the session's executor.
};

}  // namespace parley::server
