// What a scripted session says next: the results of tools, the reply whose `when` the user said, what it sees, or the
// replies without `when` in turn. One per session: it remembers whose turn it is.
#pragma once

#include "config/config.hpp"
#include "runtime/model.hpp"

#include <cstddef>
#include <memory>
#include <string>

namespace parley::adapters::scripted {

// Thread safety: none; owned by the session.
class reply_chooser {
 public:
  explicit reply_chooser(std::shared_ptr<const config::scripted_config> script);

  [[nodiscard]] std::string choose(const runtime::response_request& request);

 private:
  const std::shared_ptr<const config::scripted_config> script_;
  std::size_t turns_ = 0;  // answers given from the replies without `when`
};

}  // namespace parley::adapters::scripted
