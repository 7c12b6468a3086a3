#include "server/session_setup.hpp"

#include "runtime/prompt_text.hpp"
#include "server/random_ids.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace parley::server {

namespace {

protocol::playback_policy policy_named(const std::string& name) {
  if (name == "ack_only") return protocol::playback_policy::ack_only;
  if (name == "commit_all_on_done") return protocol::playback_policy::commit_all_on_done;
  return protocol::playback_policy::estimate;
}

protocol::wire_error unusable(std::string message, std::string param) {
  return {.code = protocol::errc::invalid_value, .message = std::move(message), .param = std::move(param)};
}

// A fraction of what may wait, so that there is room for everything else that a session says.
constexpr std::size_t unsent_share = 4;

runtime::session_limits make_limits(const config::config& from) {
  runtime::session_limits limits;
  limits.append_bytes = from.limits.append_bytes;
  limits.input_buffer_bytes = from.limits.input_buffer_bytes;
  limits.history_audio_bytes = from.limits.history_audio_bytes;
  limits.items = static_cast<std::size_t>(from.limits.history_items);
  limits.response_audio_ms = std::chrono::milliseconds(from.limits.response_max_audio).count();
  limits.response_text_bytes = from.limits.response_max_text_bytes;
  limits.out_of_band_responses = from.limits.out_of_band_responses;
  limits.outbox_high_audio_ms = from.delivery.outbox_high_audio.count();
  limits.outbox_high_bytes = from.delivery.outbox_high_bytes;
  limits.outbox_max_audio_ms = std::chrono::milliseconds(from.delivery.outbox_max_audio).count();
  limits.response_audio_ms = std::chrono::milliseconds(from.limits.response_max_audio).count();
  limits.response_text_bytes = from.limits.response_max_text_bytes;
  limits.unsent_audio_bytes =
      std::min(limits.unsent_audio_bytes, std::max<std::size_t>(from.delivery.max_bytes / unsent_share, 1));
  limits.unsent_audio_events =
      std::min(limits.unsent_audio_events, std::max<std::size_t>(from.delivery.max_events / unsent_share, 1));
  limits.bad_messages = from.limits.bad_messages_per_minute;
  limits.pending_input_bytes = from.limits.pending_input_bytes;
  limits.pending_commits = from.limits.pending_commits;
  limits.prompt_tokens = from.limits.prompt_tokens;
  limits.responses_per_minute = from.limits.responses_per_minute;
  limits.tokens_per_minute = from.limits.tokens_per_minute;
  return limits;
}

}  // namespace

std::int64_t unix_seconds() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::seconds>(now).count();
}

protocol::session_settings starting_settings(const config::session_config& from, protocol::session_kind kind,
                                             std::string model_name) {
  protocol::session_settings settings;
  settings.kind = kind;
  settings.model = std::move(model_name);
  settings.voice = from.voice;
  settings.detection->threshold = from.vad_threshold;
  settings.detection->prefix_padding = from.vad_prefix_padding;
  settings.detection->silence_duration = from.vad_silence;
  settings.playback = policy_named(from.playback_commit_policy);
  if (kind == protocol::session_kind::realtime) {
    settings.instructions = from.instructions;
  } else {
    settings.transcription = protocol::transcription{.model = "default"};
    settings.detection->create_response = false;
    settings.detection->interrupt_response = false;
  }
  return settings;
}

protocol::session_settings starting_duplex_settings(const config::session_config& from, std::string model_name) {
  constexpr int input_hz = 16000, output_hz = 24000;
  auto settings = starting_settings(from, protocol::session_kind::realtime, std::move(model_name));
  settings.input_format = {.encoding = protocol::audio_encoding::pcm16, .rate_hz = input_hz};
  settings.output_format = {.encoding = protocol::audio_encoding::pcm16, .rate_hz = output_hz};
  settings.detection.reset();
  settings.playback = protocol::playback_policy::ack_only;
  settings.duplex.idle_timeout_s.reset();
  if (from.idle_timeout) settings.duplex.idle_timeout_s = static_cast<int>(from.idle_timeout->count());
  return settings;
}

protocol::result<protocol::session_settings> bound_settings(protocol::session_settings start,
                                                            const protocol::session_patch& patch,
                                                            const runtime::model_capabilities& capabilities,
                                                            const runtime::prompt_library* prompts) {
  if (patch.speed && *patch.speed != 1.0 && !capabilities.adapts_speed) {
    return unusable("This model speaks at its own speed.", "session.audio.output.speed");
  }
  if (patch.prompt && *patch.prompt) {
    if (auto unknown = runtime::unknown_prompt(prompts, **patch.prompt, "session")) return *std::move(unknown);
  }
  return protocol::merged(std::move(start), patch);
}

runtime::session_options make_session_options(const config::config& configuration, protocol::dialect spoken,
                                              protocol::session_settings settings,
                                              const runtime::model_capabilities& capabilities,
                                              const session_tools& tools) {
  runtime::session_options options;
  options.id = new_session_id(spoken);
  options.dialect = spoken;
  options.settings = std::move(settings);
  options.limits = make_limits(configuration);
  options.capabilities = capabilities;
  options.make_detector = tools.audio.make_detector;
  options.make_reducer = tools.audio.make_reducer;
  options.make_converter = tools.audio.make_converter;
  options.disconnect_grace = configuration.resume.disconnect_grace;
  options.reaper_period = configuration.resume.reaper;
  options.prompts = tools.prompts;
  options.pace_ahead = configuration.delivery.pace_ahead;
  options.input_stall = configuration.session.input_stall;
  if (configuration.limits.max_session) options.max_duration = *configuration.limits.max_session;
  options.started_unix_s = unix_seconds();
  options.fail_response_on_overflow = configuration.delivery.on_overflow == config::overflow_policy::fail_response;
  options.id_seed = random_seed();
  return options;
}

runtime::delivery_limits make_delivery_limits(const config::delivery_config& delivery) {
  runtime::delivery_limits limits;
  limits.max_bytes = delivery.max_bytes;
  limits.max_events = delivery.max_events;
  limits.reserve_bytes = delivery.reserve_bytes;
  limits.reserve_events = delivery.reserve_events;
  return limits;
}

}  // namespace parley::server
