// What becomes of speech over an answer, rule by rule.
#include "runtime/overlap.hpp"

#include <catch2/catch.hpp>

using namespace parley::protocol;
using namespace parley::runtime;

namespace {

overlap_question speech(overlap_policy policy, std::int64_t ms) {
  return {.policy = policy, .speech = true, .speech_ms = ms};
}

}  // namespace

TEST_CASE("overlap: the client's word comes before every policy", "[runtime][overlap]") {
  for (const auto policy :
       {overlap_policy::listen_only, overlap_policy::barge_in_on_speech, overlap_policy::by_length}) {
    auto asked = speech(policy, 5000);
    asked.wish = overlap_wish::drop;
    CHECK(judge(asked).action == overlap_action::drop);
    CHECK(judge(asked).reason == "client_overlap_action");
    asked.wish = overlap_wish::listen;
    CHECK(judge(asked).action == overlap_action::listen);
    asked.wish = overlap_wish::barge_in;
    CHECK(judge(asked).action == overlap_action::barge_in);
    asked.force_barge_in = true;
    CHECK(judge(asked).reason == "client_force_barge_in");
    asked.can_barge_in = false;
    CHECK(judge(asked).action == overlap_action::listen);
    CHECK(judge(asked).reason == "barge_in_unsupported");
    CHECK(judge(asked).refused_wish);
  }
}

TEST_CASE("overlap: in the order listen, silence, short word, policy", "[runtime][overlap]") {
  auto asked = speech(overlap_policy::listen_only, 3000);
  CHECK(judge(asked).reason == "policy_listen_only");
  asked.transcript = "Mm-hm!";
  CHECK(judge(asked).reason == "short_ack_transcript");
  CHECK_FALSE(judge(asked).buffers_audio);
  asked.speech = false;
  CHECK(judge(asked).reason == "silence_or_noise");
  CHECK(judge(asked).action == overlap_action::drop);
  asked.force_listen = true;
  CHECK(judge(asked).reason == "client_force_listen");
}

TEST_CASE("overlap: by length, both limits are met where they say", "[runtime][overlap]") {
  CHECK(judge(speech(overlap_policy::by_length, 700)).reason == "short_ack");
  CHECK(judge(speech(overlap_policy::by_length, 701)).reason == "accumulating_overlap_speech");
  CHECK(judge(speech(overlap_policy::by_length, 1199)).action == overlap_action::listen);
  CHECK(judge(speech(overlap_policy::by_length, 1200)).reason == "long_overlap_speech");
  CHECK(judge(speech(overlap_policy::by_length, 1200)).action == overlap_action::barge_in);
  auto unable = speech(overlap_policy::by_length, 1200);
  unable.can_barge_in = false;
  CHECK(judge(unable).reason == "barge_in_unsupported");
  CHECK_FALSE(judge(unable).refused_wish);  // nobody asked for it
}

TEST_CASE("overlap: speech interrupts where it starts, its rest is heard", "[runtime][overlap]") {
  auto asked = speech(overlap_policy::barge_in_on_speech, 100);
  CHECK(judge(asked).reason == "server_vad_utterance_active");
  asked.starts_utterance = true;
  CHECK(judge(asked).reason == "policy_barge_in_on_speech");
  asked.detected = true;
  CHECK(judge(asked).reason == "server_vad_speech_started");
  asked.answering = true;
  CHECK(judge(asked).reason == "server_vad_speech_started");
  asked.detected = false;
  CHECK(judge(asked).reason == "barge_in_on_speech");
  asked.starts_utterance = false;
  CHECK(judge(asked).reason == "auto_response_continuous");
}

TEST_CASE("overlap: an answering session that only listens decides nothing", "[runtime][overlap]") {
  auto asked = speech(overlap_policy::listen_only, 3000);
  CHECK(needs_verdict(asked));
  asked.answering = true;
  CHECK_FALSE(needs_verdict(asked));
  asked.wish = overlap_wish::barge_in;
  CHECK(needs_verdict(asked));
}

TEST_CASE("overlap: short words of a listener, in any dress", "[runtime][overlap]") {
  for (const auto* word : {"yes", "Yes.", "OK!", "o k", "uh-huh", "go on", "Right,", "嗯。", "好的"})
    CHECK(is_short_acknowledgement(word));
  for (const auto* word : {"", "yes but wait", "no", "stop", "what time is it", "好的吗"})
    CHECK_FALSE(is_short_acknowledgement(word));
}
