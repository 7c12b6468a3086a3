#include "adapters/factory.hpp"

#include "adapters/audio/stream_converter.hpp"
#include "adapters/audio/webrtc_noise_reducer.hpp"
#include "adapters/audio/webrtc_speech_detector.hpp"
#include "adapters/local/chat_replier.hpp"
#include "adapters/local/echo_replier.hpp"
#include "adapters/local/local_model.hpp"
#include "adapters/scripted/scripted_model.hpp"

#include <stdexcept>
#include <utility>

namespace parley::adapters {
namespace {

std::shared_ptr<runtime::model> make_local(const config::local_config& settings) {
  auto replier = settings.llm.url ? local::make_chat_replier(settings.llm) : local::make_echo_replier();
  return local::make_local_model(settings, std::move(replier));
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
      models.emplace(name, make_model(settings));
    } catch (const std::exception& error) {
      throw std::runtime_error("models." + name + ": " + error.what());
    }
  }
  return models;
}

runtime::speech_detector_factory make_detector_factory() {
  return [](int rate_hz, std::optional<protocol::noise_reduction> noise) {
    return audio::make_webrtc_speech_detector(rate_hz, noise);
  };
}

runtime::noise_reducer_factory make_reducer_factory() { return audio::make_webrtc_noise_reducer; }

runtime::sample_converter_factory make_sample_converter_factory() { return audio::make_stream_converter; }

}  // namespace parley::adapters
