#include "config/keys.hpp"

#include <utility>

namespace parley::config {
namespace {

constexpr double KiB = 1024.0;
constexpr double GiB = KiB * KiB * KiB;
constexpr double day_s = 86'400;
constexpr double hour_ms = 3'600'000;

// `words` in the order of the enumerators.
template <class Enum>
choice one_of(Enum& target, std::vector<std::string> words) {
  return {std::move(words), [&target](std::size_t index) { target = static_cast<Enum>(index); }};
}

choice one_word_of(std::string& target, std::vector<std::string> words) {
  return {words, [&target, words](std::size_t index) { target = words[index]; }};
}

void add_server(std::vector<key>& table, config& c) {
  auto& v = c.server;
  table.push_back({"server.listen", &v.listen});
  table.push_back({"server.threads", &v.threads, 0, 1024});
  table.push_back({"server.default_dialect", one_of(v.dialect, {"openai", "duplex"})});
  table.push_back({"server.origins", &v.origins});
  table.push_back({"server.hosts", &v.hosts});
  table.push_back({"server.handshake_timeout_s", &v.handshake_timeout, 1, 3600});
  table.push_back({"server.ping_interval_s", &v.ping_interval, 1, 3600});
  table.push_back({"server.ping_timeout_s", &v.ping_timeout, 1, 3600});
  table.push_back({"server.message_timeout_s", &v.message_timeout, 1, 3600});
  table.push_back({"server.drain_timeout_s", &v.drain_timeout, 0, day_s});
}

void add_auth(std::vector<key>& table, config& c) {  // auth.env_keys has no key: secrets are never inline
  table.push_back({"auth.keys_file", &c.auth.keys_file});
  table.push_back({"auth.allow_anonymous", &c.auth.allow_anonymous});
  table.push_back({"auth.secret_key_file", &c.auth.secret_key_file});
}

void add_limits(std::vector<key>& table, config& c) {
  auto& v = c.limits;
  table.push_back({"limits.max_sessions", &v.max_sessions, 1, 1e6});
  table.push_back({"limits.max_connections", &v.max_connections, 1, 1e6});
  table.push_back({"limits.frame_bytes", &v.frame_bytes, KiB, GiB});
  table.push_back({"limits.append_bytes", &v.append_bytes, 1, GiB});
  table.push_back({"limits.input_buffer_bytes", &v.input_buffer_bytes, 1, GiB});
  table.push_back({"limits.history_audio_bytes", &v.history_audio_bytes, 0, GiB});
  table.push_back({"limits.history_items", &v.history_items, 1, 1e6});
  table.push_back({"limits.bad_messages_per_minute", &v.bad_messages_per_minute, 1, 1e6});
  table.push_back({"limits.out_of_band_responses", &v.out_of_band_responses, 0, 1000});
  table.push_back({"limits.response_max_audio_s", &v.response_max_audio, 1, 365 * day_s});
  table.push_back({"limits.response_max_text_bytes", &v.response_max_text_bytes, 1, 1e9});
  table.push_back({"limits.max_session_s", &v.max_session, 1, 365 * day_s});
  table.push_back({"limits.prompt_tokens", &v.prompt_tokens, 1, 1e7});
  table.push_back({"limits.pending_input_bytes", &v.pending_input_bytes, 1, GiB});
  table.push_back({"limits.pending_commits", &v.pending_commits, 1, 1000});
  table.push_back({"limits.responses_per_minute", &v.responses_per_minute, 1, 1e6});
  table.push_back({"limits.tokens_per_minute", &v.tokens_per_minute, 1, 1e9});
}

void add_session(std::vector<key>& table, config& c) {
  auto& v = c.session;
  table.push_back({"session.instructions", &v.instructions});
  table.push_back({"session.voice", &v.voice});
  table.push_back({"session.vad_threshold", &v.vad_threshold, 0, 1});
  table.push_back({"session.vad_prefix_padding_ms", &v.vad_prefix_padding, 0, 10'000});
  table.push_back({"session.vad_silence_ms", &v.vad_silence, 1, 60'000});
  table.push_back({"session.input_stall_ms", &v.input_stall, 1, hour_ms});
  table.push_back({"session.playback_commit_policy",
                   one_word_of(v.playback_commit_policy, {"ack_only", "commit_all_on_done", "estimate"})});
  table.push_back({"session.idle_timeout_s", &v.idle_timeout, 1, day_s});
  table.push_back({"session.config_timeout_s", &v.config_timeout, 1, 3600});
}

void add_delivery(std::vector<key>& table, config& c) {
  auto& v = c.delivery;
  table.push_back({"delivery.pace_ahead_ms", &v.pace_ahead, 0, hour_ms});
  table.push_back({"delivery.max_bytes", &v.max_bytes, 1, GiB});
  table.push_back({"delivery.max_events", &v.max_events, 1, 1e6});
  table.push_back({"delivery.reserve_bytes", &v.reserve_bytes, 1, GiB});
  table.push_back({"delivery.reserve_events", &v.reserve_events, 1, 1e6});
  table.push_back({"delivery.on_overflow", one_of(v.on_overflow, {"close_session", "fail_response"})});
  table.push_back({"delivery.write_timeout_s", &v.write_timeout, 1, 3600});
  table.push_back({"delivery.outbox_high_audio_ms", &v.outbox_high_audio, 1, hour_ms});
  table.push_back({"delivery.outbox_high_bytes", &v.outbox_high_bytes, 1, GiB});
  table.push_back({"delivery.outbox_max_audio_s", &v.outbox_max_audio, 1, day_s});
}

void add_resume(std::vector<key>& table, config& c) {
  table.push_back({"resume.journal_bytes", &c.resume.journal_bytes, 1, GiB});
  table.push_back({"resume.journal_age_s", &c.resume.journal_age, 1, day_s});
  table.push_back({"resume.disconnect_grace_s", &c.resume.disconnect_grace, 0, day_s});
  table.push_back({"resume.reaper_s", &c.resume.reaper, 1, 3600});
}

void add_local(std::vector<key>& table, local_config& v) {
  const auto only = adapter_kind::local;
  table.push_back({"llm.url", &v.llm.url, 0, 0, only});
  table.push_back({"llm.model", &v.llm.model, 0, 0, only});
  table.push_back({"llm.key_env", &v.llm.key_env, 0, 0, only});
  table.push_back({"llm.connect_timeout_ms", &v.llm.connect_timeout, 1, hour_ms, only});
  table.push_back({"llm.first_byte_timeout_ms", &v.llm.first_byte_timeout, 1, hour_ms, only});
  table.push_back({"llm.between_bytes_timeout_ms", &v.llm.between_bytes_timeout, 1, hour_ms, only});
  table.push_back({"llm.max_prompt_items", &v.llm.max_prompt_items, 1, 1e6, only});
  table.push_back({"acoustic_model", &v.acoustic_model, 0, 0, only});
  table.push_back({"language_model", &v.language_model, 0, 0, only});
  table.push_back({"dictionary", &v.dictionary, 0, 0, only});
  table.push_back({"decoders", &v.decoders, 1, 256, only});
  table.push_back({"decoder_wait_ms", &v.decoder_wait, 0, hour_ms, only});
  table.push_back({"max_turn_audio_s", &v.max_turn_audio, 1, 3600, only});
  table.push_back({"voices", &v.voices, 1, 256, only});
  table.push_back({"voice", one_word_of(v.voice, {"slt", "rms", "awb", "kal16"}), 0, 0, only});
  table.push_back({"drop_marker_transcripts", &v.drop_marker_transcripts, 0, 0, only});
}

void add_decisions(std::vector<key>& table, scripted_decisions& v) {
  const auto only = adapter_kind::scripted;
  table.push_back({"chunk_period_ms", &v.chunk_period, 20, 60'000, only});
  table.push_back({"speak_on_units", &v.speak_on_units, 1, 1e6, only});
  table.push_back({"keep_listening", &v.keep_listening, 0, 0, only});
  table.push_back({"fail_on_unit", &v.fail_on_unit, 1, 1e6, only});
  table.push_back({"stall_on_unit", &v.stall_on_unit, 1, 1e6, only});
  table.push_back({"lose_on_unit", &v.lose_on_unit, 1, 1e6, only});
}

void add_capabilities(std::vector<key>& table, scripted_capabilities& v) {
  const auto only = adapter_kind::scripted;
  table.push_back({"capabilities.barge_in", &v.barge_in, 0, 0, only});
  table.push_back({"capabilities.resume", &v.resume, 0, 0, only});
  table.push_back({"capabilities.text", &v.text, 0, 0, only});
  table.push_back({"capabilities.text_appends", &v.text_appends, 0, 0, only});
  table.push_back({"capabilities.images", &v.images, 0, 0, only});
  table.push_back({"capabilities.video", one_of(v.video, {"none", "optional", "required"}), 0, 0, only});
  table.push_back({"capabilities.audio_truncate", &v.audio_truncate, 0, 0, only});
  table.push_back({"capabilities.instructions_update", &v.instructions_update, 0, 0, only});
  table.push_back({"capabilities.response_options", &v.response_options, 0, 0, only});
  table.push_back({"capabilities.reference_voice", &v.reference_voice, 0, 0, only});
}

void add_scripted(std::vector<key>& table, scripted_config& v) {
  const auto only = adapter_kind::scripted;
  table.push_back({"native", &v.native, 0, 0, only});
  add_decisions(table, v.decisions);
  add_capabilities(table, v.capabilities);
  table.push_back({"mode", one_of(v.mode, {"reply", "echo"}), 0, 0, only});
  table.push_back({"rate", &v.rate, 0, 1000, only});
  table.push_back({"delta_ms", &v.delta, 1, 60'000, only});
  table.push_back({"think_ms", &v.think, 0, hour_ms, only});
  table.push_back({"ms_per_word", &v.ms_per_word, 1, 60'000, only});
  table.push_back({"ignore_flow_control", &v.ignore_flow_control, 0, 0, only});
  table.push_back({"transcript", &v.transcript, 0, 0, only});
  table.push_back({"replies", &v.replies, 0, 0, only});
}

}  // namespace

std::vector<key> keys_of(config& value) {
  std::vector<key> table;
  add_server(table, value);
  add_auth(table, value);
  add_limits(table, value);
  add_session(table, value);
  add_delivery(table, value);
  add_resume(table, value);
  table.push_back({"prompts", &value.prompts});
  table.push_back({"default_model", &value.default_model});
  table.push_back({"metrics.enabled", &value.metrics.enabled});
  table.push_back({"log.level", one_of(value.log.level, {"trace", "debug", "info", "warn", "error", "off"})});
  return table;
}

std::vector<key> keys_of(model_config& value) {
  std::vector<key> table;
  table.push_back({"adapter", one_of(value.adapter, {"local", "scripted"})});
  table.push_back({"aliases", &value.aliases});
  add_local(table, value.local);
  add_scripted(table, value.scripted);
  return table;
}

std::string to_string(adapter_kind kind) { return kind == adapter_kind::local ? "local" : "scripted"; }

}  // namespace parley::config
