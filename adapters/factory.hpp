// Configuration -> models. The only place that knows every adapter; called by main.
#pragma once

#include "config/config.hpp"
#include "runtime/model.hpp"
#include "runtime/session.hpp"
#include "runtime/speech_detector.hpp"

#include <map>
#include <memory>
#include <string>

namespace parley::adapters {

// One model per configured name. Throws std::runtime_error that names the key (models.NAME....) when one can not be
// made.
[[nodiscard]] std::map<std::string, std::shared_ptr<runtime::model>> make_models(const config::config& configuration);

// WebRTC APM's voice detector behind its noise suppression.
[[nodiscard]] runtime::speech_detector_factory make_detector_factory();

// WebRTC APM's noise suppression.
[[nodiscard]] runtime::noise_reducer_factory make_reducer_factory();

// Speex's resampler, between any two rates, a few milliseconds late.
[[nodiscard]] runtime::sample_converter_factory make_sample_converter_factory();

}  // namespace parley::adapters
