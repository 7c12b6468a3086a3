// Checks what must hold of the events of any session, whatever was done to it: every id is announced before it is used,
// what is opened is closed once and in order, joined deltas are the done text, previous_item_id names the predecessor.
// Feed it the whole log; faults() are sentences, empty when all is well. Items that the conversation's bound pushed out
// are not known here: a test of that bound does without.
#pragma once

#include "protocol/event.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace parley::tests {

class event_log {
 public:
  void add(const protocol::server_event& event);
  [[nodiscard]] const std::vector<std::string>& faults() const noexcept { return faults_; }
  // Responses that were created and are not done.
  [[nodiscard]] std::size_t open_responses() const;

 private:
  struct output {
    protocol::item_id item;
    protocol::item_type type = protocol::item_type::message;
    bool part_open = false, part_done = false;
    bool content_done = false;  // text or arguments
    bool audio_done = false;
    bool done = false;
    std::string words{};  // deltas so far
    std::int64_t samples = 0;
  };
  struct response {
    bool in_conversation = false;
    bool done = false;
    std::vector<output> outputs{};
  };
  struct item {
    bool added = false, done = false, deleted = false;
    bool speech_stopped = false;
  };

  void expect(bool condition, const std::string& fault);
  response* open_response(const protocol::response_id& id);
  output* open_output(const protocol::response_id& id, int index, const protocol::item_id& item);
  output* open_part(const protocol::part_ref& at);
  void closed(const protocol::response_id& id, const output& one, const protocol::item& value);
  bool is_output(const protocol::item_id& id) const;
  std::optional<protocol::item_id> predecessor(const protocol::item_id& id) const;

  void see(const protocol::session_created&);
  void see(const protocol::error_event& event);
  void see(const protocol::speech_started& event);
  void see(const protocol::speech_stopped& event);
  void see(const protocol::input_committed& event);
  void see(const protocol::item_added& event);
  void see(const protocol::item_done& event);
  void see(const protocol::item_retrieved& event) { known(event.value.id); }
  void see(const protocol::item_deleted& event);
  void see(const protocol::item_truncated& event) { known(event.id); }
  void see(const protocol::transcription_delta& event);
  void see(const protocol::transcription_completed& event);
  void see(const protocol::transcription_failed& event) { transcribed(event.item); }
  void see(const protocol::response_created& event);
  void see(const protocol::response_done& event);
  void see(const protocol::output_item_added& event);
  void see(const protocol::output_item_done& event);
  void see(const protocol::content_part_added& event);
  void see(const protocol::content_part_done& event);
  void see(const protocol::text_delta& event) { words(event.at, event.delta); }
  void see(const protocol::transcript_delta& event) { words(event.at, event.delta); }
  void see(const protocol::text_done& event) { words_done(event.at, event.text); }
  void see(const protocol::transcript_done& event) { words_done(event.at, event.transcript); }
  void see(const protocol::audio_delta& event);
  void see(const protocol::audio_done& event);
  void see(const protocol::arguments_delta& event);
  void see(const protocol::arguments_done& event);
  template <class Other>
  void see(const Other&) {}

  void known(const protocol::item_id& id);
  void transcribed(const protocol::item_id& id);
  void words(const protocol::part_ref& at, const std::string& delta);
  void words_done(const protocol::part_ref& at, const std::string& all);

  std::vector<std::string> faults_;
  std::string where_;  // the event being looked at, for the sentences
  std::set<std::string> event_ids_;
  bool created_ = false;
  std::map<protocol::item_id, item> items_;
  std::vector<protocol::item_id> order_;  // the conversation as a client rebuilds it
  std::optional<protocol::item_id> committed_;
  std::map<protocol::response_id, response> responses_;
  std::set<protocol::item_id> transcribed_;
  std::map<protocol::item_id, std::string> heard_words_;  // joined transcription deltas
};

}  // namespace parley::tests
