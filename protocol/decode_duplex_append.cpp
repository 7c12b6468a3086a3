#include "protocol/base64.hpp"
#include "protocol/decode_duplex.hpp"
#include "protocol/image_url.hpp"

#include <cmath>
#include <vector>

namespace parley::protocol {
namespace {

constexpr std::size_t most_frames = 2;
constexpr std::size_t longest_frame = 4'000'000;  // characters of base64

// Clients of several generations: each of them has words of its own.
constexpr choice<overlap_wish> wishes[] = {
    {"barge_in", overlap_wish::barge_in}, {"interrupt", overlap_wish::barge_in},
    {"cancel", overlap_wish::barge_in},   {"listen", overlap_wish::listen},
    {"continue", overlap_wish::listen},   {"continue_output", overlap_wish::listen},
    {"ack", overlap_wish::listen},        {"drop", overlap_wish::drop},
    {"ignore", overlap_wish::drop},       {"silence", overlap_wish::drop},
};

overlap_wish read_wish(const json_value& word) {
  const std::string_view text = word.if_text().value_or(std::string_view{});
  for (const auto& each : wishes) {
    if (each.name == text) return each.value;
  }
  return overlap_wish::none;
}

// Hints: what is not of the right type was not said.
std::optional<std::int64_t> position(const json_value& ms) {
  constexpr double highest = 1e15;
  const std::optional<double> value = ms.if_number();
  if (!value || *value < 0 || *value > highest) return std::nullopt;
  return static_cast<std::int64_t>(std::floor(*value));
}

void read_speech(const json_value& event, append_details& read) {
  const auto [is_speech, speech, vad, probability] =
      event.members({"is_speech", "speech", "vad", "speech_probability"});
  read.is_speech = is_speech.if_boolean();
  if (!read.is_speech) read.is_speech = speech.if_boolean();
  if (vad.is_object()) {
    const auto [said, own, also] = vad.members({"is_speech", "probability", "speech_probability"});
    if (!read.is_speech) read.is_speech = said.if_boolean();
    read.speech_probability = own.if_number();
    if (!read.speech_probability) read.speech_probability = also.if_number();
  }
  if (!read.speech_probability) read.speech_probability = probability.if_number();
}

void read_format(const json_value& event, append_details& read) {
  const auto [own, input, rate] = event.members({"format", "input_audio_format", "sample_rate_hz"});
  const json_value& format = own.given() ? own : input;
  if (format.given()) {
    const format_change said = read_duplex_format(format, audio_direction::input);
    read.encoding = said.encoding;
    read.rate_hz = said.rate_hz;
  }
  if (rate.given()) read.rate_hz = static_cast<int>(rate.integer(lowest_input_hz, highest_input_hz));
}

void read_frame(const json_value& frame, append_details& read) {
  if (frame.is_null()) return;
  const std::string_view base64 = frame.if_text().value_or(std::string_view{});
  if (base64.empty() || base64.size() > longest_frame || !is_video_frame(base64)) {
    frame.refuse("expected the bare base64 of a JPEG or PNG image of at most 4,000,000 characters.",
                 errc::invalid_video_frames);
  } else if (read.video_frames.size() == most_frames) {
    frame.refuse("expected at most 2 frames.", errc::invalid_video_frames);
  } else {
    read.video_frames.emplace_back(base64);
  }
}

void read_frames(const json_value& event, append_details& read) {
  const auto [frames, slices] = event.members({"video_frames", "max_slice_nums"});
  if (slices.given() && slices.if_number() != 1.0) slices.refuse("only 1 is possible.", errc::invalid_video_frames);
  if (!frames.given()) return;
  if (!frames.is_array()) return frames.refuse("expected a list of images.", errc::invalid_video_frames);
  frames.for_each_element([&](const json_value& frame) { read_frame(frame, read); });
}

void read_overlap(const json_value& event, append_details& read) {
  const auto [action, overlap, listen, barge_in] =
      event.members({"overlap_action", "overlap", "force_listen", "force_barge_in"});
  read.overlap = read_wish(action);
  if (read.overlap == overlap_wish::none) read.overlap = read_wish(overlap);
  read.force_listen = listen.if_boolean().value_or(false);
  read.force_barge_in = barge_in.if_boolean().value_or(false);
}

void read_hints(const json_value& event, append_details& read) {
  const auto [start, end, transcript, text] = event.members({"audio_start_ms", "audio_end_ms", "transcript", "text"});
  read.audio_start_ms = position(start);
  read.audio_end_ms = position(end);
  read.transcript = transcript.if_text().value_or(text.if_text().value_or(std::string_view{}));
}

}  // namespace

input_audio_append read_duplex_append(const json_value& event) {
  const auto [audio, delta] = event.members({"audio", "delta"});
  append_details read;
  read_format(event, read);
  read_frames(event, read);
  read_speech(event, read);
  read_overlap(event, read);
  read_hints(event, read);
  const json_value& sound = audio.given() ? audio : delta;
  read.has_audio = sound.given() || read.video_frames.empty();  // with neither the audio is what is missing
  input_audio_append append;
  if (read.has_audio && sound.given()) append.audio_base64 = sound.text();
  if (read.has_audio && !sound.given()) (void)audio.refuse("expected audio or video_frames.");
  if (!(read == append_details{})) append.details = std::make_shared<const append_details>(std::move(read));
  return append;
}

}  // namespace parley::protocol
