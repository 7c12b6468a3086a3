#include "adapters/factory.hpp"

#include <stdexcept>

#include "adapters/scripted/scripted_model.hpp"

#if __has_include("adapters/local/local_model.cpp") && __has_include("adapters/local/echo_replier.cpp")
#include "adapters/local/echo_replier.hpp"
#include "adapters/local/local_model.hpp"
#define PARLEY_HAS_LOCAL 1
#endif
#if __has_include("adapters/audio/webrtc_speech_detector.cpp")
#include "adapters/audio/webrtc_speech_detector.hpp"
#define PARLEY_HAS_WEBRTC 1
#endif

namespace parley::adapters {
namespace {

std::shared_ptr<runtime::model> make_local([[maybe_unused]] const config::local_config& settings) {
#ifdef PARLEY_HAS_LOCAL
  return local::make_local_model(settings, local::make_echo_replier());
#else
  return nullptr;
#endif
}

std::shared_ptr<runtime::model> make_model(const config::model_config& settings) {
  switch (settings.adapter) {
    case config::adapter_kind::local:
      return make_local(settings.local);
    case config::adapter_kind::scripted:
      return scripted::make_scripted_model(settings.scripted);
  }
  throw std::logic_error("an adapter kind without a model");
}

}  // namespace

std::map<std::string, std::shared_ptr<runtime::model>> make_models(const config::config& configuration) {
  std::map<std::string, std::shared_ptr<runtime::model>> models;
  for (const auto& [name, settings] : configuration.models) {
    try {
      if (auto model = make_model(settings)) models.emplace(name, std::move(model));
    } catch (const std::exception& error) {
      throw std::runtime_error("models." + name + ": " + error.what());
    }
  }
  return models;
}

runtime::speech_detector_factory make_detector_factory() {
#ifdef PARLEY_HAS_WEBRTC
  return [](int rate_hz, std::optional<protocol::noise_reduction> noise) {
    return audio::make_webrtc_speech_detector(rate_hz, noise);
  };
#else
  return {};
#endif
}

}  // namespace parley::adapters
