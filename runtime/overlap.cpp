#include "runtime/overlap.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

namespace parley::runtime {

using namespace protocol;

namespace {

// Without case, blanks and punctuation.
constexpr std::array<std::string_view, 46> acknowledgements{
    "yes",  "yeah",     "yep",     "yup",   "ok",   "okay", "right", "sure", "true",   "exactly", "indeed",     "uhhuh",
    "mhm",  "mmhm",     "mm",      "mmm",   "hm",   "hmm",  "uh",    "um",   "ah",     "oh",      "aha",        "isee",
    "goon", "continue", "carryon", "gotit", "fine", "good", "great", "cool", "nice",   "alright", "understood", "嗯",
    "嗯嗯", "对",       "好",      "好的",  "是",   "是的", "继续",  "明白", "知道了", "哦"};

bool is_ignored(unsigned char byte) {
  return byte < 0x80 && !((byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9'));
}

std::string essence(std::string_view text) {
  std::string kept;
  for (const char raw : text) {
    const auto byte = static_cast<unsigned char>(raw);
    const unsigned char lower = byte >= 'A' && byte <= 'Z' ? static_cast<unsigned char>(byte + ('a' - 'A')) : byte;
    if (!is_ignored(lower)) kept += static_cast<char>(lower);
  }
  // The full stop and the comma of Chinese text.
  for (const std::string_view mark : {"。", "，", "！"}) {
    for (auto at = kept.find(mark); at != std::string::npos; at = kept.find(mark)) kept.erase(at, mark.size());
  }
  return kept;
}

overlap_verdict listen(std::string_view reason, bool buffers = true) {
  return {.action = overlap_action::listen, .reason = reason, .buffers_audio = buffers};
}

overlap_verdict drop(std::string_view reason) {
  return {.action = overlap_action::drop, .reason = reason, .buffers_audio = false};
}

overlap_verdict cut_in(const overlap_question& asked, std::string_view reason, bool wished = false) {
  if (asked.can_barge_in) return {.action = overlap_action::barge_in, .reason = reason};
  overlap_verdict verdict = listen("barge_in_unsupported");
  verdict.refused_wish = wished;
  return verdict;
}

std::optional<overlap_verdict> by_client(const overlap_question& asked) {
  if (asked.force_barge_in) return cut_in(asked, "client_force_barge_in", true);
  switch (asked.wish) {
    case overlap_wish::barge_in:
      return cut_in(asked, "client_overlap_action", true);
    case overlap_wish::listen:
      return listen("client_overlap_action");
    case overlap_wish::drop:
      return drop("client_overlap_action");
    case overlap_wish::none:
      break;
  }
  return std::nullopt;
}

overlap_verdict by_length(const overlap_question& asked) {
  if (asked.speech_ms <= asked.short_ack_ms) return listen("short_ack");
  if (asked.speech_ms >= asked.barge_in_ms) return cut_in(asked, "long_overlap_speech");
  return listen("accumulating_overlap_speech");
}

// An answering session interrupts at the start of an utterance; the rest of it is the model's to hear.
overlap_verdict continuous(const overlap_question& asked) {
  if (!asked.speech || !asked.starts_utterance) return listen("auto_response_continuous");
  return cut_in(asked, asked.detected ? "server_vad_speech_started" : "barge_in_on_speech");
}

overlap_verdict on_speech(const overlap_question& asked) {
  if (!asked.starts_utterance) return listen("server_vad_utterance_active");
  return cut_in(asked, asked.detected ? "server_vad_speech_started" : "policy_barge_in_on_speech");
}

}  // namespace

bool is_short_acknowledgement(std::string_view transcript) {
  const std::string word = essence(transcript);
  return std::find(acknowledgements.begin(), acknowledgements.end(), word) != acknowledgements.end();
}

bool needs_verdict(const overlap_question& asked) noexcept {
  if (asked.wish != overlap_wish::none || asked.force_barge_in) return true;
  return !asked.answering || asked.policy != overlap_policy::listen_only;
}

overlap_verdict judge(const overlap_question& asked) {
  if (auto said = by_client(asked)) return *said;
  if (asked.answering && asked.policy == overlap_policy::barge_in_on_speech) return continuous(asked);
  if (asked.force_listen) return listen("client_force_listen");
  if (!asked.speech) return drop("silence_or_noise");
  if (is_short_acknowledgement(asked.transcript)) return listen("short_ack_transcript", false);
  if (asked.policy == overlap_policy::listen_only) return listen("policy_listen_only");
  if (asked.policy == overlap_policy::barge_in_on_speech) return on_speech(asked);
  return by_length(asked);
}

}  // namespace parley::runtime
