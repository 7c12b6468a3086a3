#include "adapters/scripted/native_session.hpp"

#include "adapters/scripted/answer.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

namespace parley::adapters::scripted {
namespace {

constexpr double quiet_rms = 0.003 * 32768;  // what the duplex dialect takes for silence by default

bool is_quiet(std::span<const std::int16_t> samples) {
  double energy = 0;
  for (const double sample : samples) energy += sample * sample;
  return energy < quiet_rms * quiet_rms * static_cast<double>(samples.size()) || samples.empty();
}

bool is(const std::optional<int>& scripted, const runtime::audio_unit& unit) {
  return scripted && static_cast<std::uint64_t>(*scripted) == unit.number;
}

}  // namespace

native_session::native_session(std::shared_ptr<const config::scripted_config> script, std::shared_ptr<step_timer> timer,
                               std::shared_ptr<runtime::model_sink> sink)
    : script_(std::move(script)),
      timer_(std::move(timer)),
      talker_(std::make_shared<talker>(*script_, *timer_, std::move(sink))),
      replies_(script_) {}

void native_session::hear_unit(runtime::audio_unit unit) {
  const auto& decisions = script_->decisions;
  stalled_ = stalled_ || is(decisions.stall_on_unit, unit);
  if (stalled_) return;
  if (is(decisions.lose_on_unit, unit)) {
    return talker_->close_with(runtime::model_closed{"The scripted model is gone."});
  }
  if (is(decisions.fail_on_unit, unit)) {
    return talker_->post(runtime::model_unit_failed{unit.number, "The scripted model does not take this unit."});
  }
  if (unit.force_listen || unit.buffering) return listen_to(unit);
  if (talker_->post_if_speaking(runtime::model_speak{unit.number})) return;
  if (!wants_to_speak(unit)) return listen_to(unit);
  heard_sound_ = false;
  talker_->post(runtime::model_speak{unit.number});
}

bool native_session::wants_to_speak(const runtime::audio_unit& unit) const {
  const auto& decisions = script_->decisions;
  if (decisions.keep_listening) return false;
  if (!decisions.speak_on_units.empty()) {
    const auto& units = decisions.speak_on_units;
    return std::any_of(units.begin(), units.end(), [&](int number) { return is(number, unit); });
  }
  return unit.ends_turn || (heard_sound_ && is_quiet(unit.samples));
}

void native_session::listen_to(const runtime::audio_unit& unit) {
  heard_sound_ = heard_sound_ || !is_quiet(unit.samples);
  talker_->post(runtime::model_listen{unit.number});
}

void native_session::respond(runtime::response_request request) {
  heard_sound_ = false;
  talker::start(talker_, request.id, answer(*script_, request, replies_.choose(request)));
}

}  // namespace parley::adapters::scripted
