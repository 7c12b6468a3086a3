// A model that does what the test says and remembers what the server asked of it. Tests wait for a condition on it,
// with a deadline, from their own thread.
#pragma once

#include "runtime/model.hpp"

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace parley::server::test {

class fake_model final : public runtime::model {
 public:
  // What it answers to respond(): nothing, one short text, or speech without end (60 s at once, never done) or with one
  // (done at once, too), and neither of the two can be slowed. A native one listens to every unit; the last kind is
  // silent, and its sessions can not be resumed.
  enum class manner { silent, text, endless, flood, native, fleeting };

  struct facts {
    int opened = 0;
    int alive = 0;      // model sessions not destroyed
    int asked = 0;      // respond()
    int cancelled = 0;  // cancel()
    int units = 0;      // hear_unit()
    std::vector<std::size_t> prompt_sizes;
    std::vector<std::string> prompts;  // the text of each, for leaks between sessions
    std::vector<std::pair<std::shared_ptr<runtime::model_sink>, runtime::response_request>> requests;
  };

  explicit fake_model(manner how = manner::text) : manner_(how), shared_(std::make_shared<shared>()) {}

  [[nodiscard]] runtime::model_capabilities capabilities() const override;
  [[nodiscard]] std::unique_ptr<runtime::model_session> open(std::shared_ptr<runtime::model_sink> sink) override;

  // False when it did not become true in time.
  [[nodiscard]] bool wait(const std::function<bool(const facts&)>& condition) const;
  [[nodiscard]] facts now() const;
  void refuse_to_open(bool refuse) { refuse_ = refuse; }

 private:
  struct shared {
    mutable std::mutex m;
    mutable std::condition_variable changed;
    facts seen;
    void note(const std::function<void(facts&)>& change);
  };
  class conversation;

  const manner manner_;
  const std::shared_ptr<shared> shared_;
  bool refuse_ = false;
};

}  // namespace parley::server::test
