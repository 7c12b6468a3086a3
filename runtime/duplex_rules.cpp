#include "runtime/duplex_rules.hpp"

#include "protocol/quote.hpp"

namespace parley::runtime {

using namespace protocol;

namespace {

// What holds whenever a patch comes.
std::optional<wire_error> refused_always(const session_settings& now, const session_patch& patch,
                                         const model_capabilities& capabilities) {
  if (patch.duplex.private_key) {
    return wire_error{.code = errc::invalid_duplex_runtime_config,
                      .message = quoted(*patch.duplex.private_key) + " in extra_body is the server's own.",
                      .param = "session.extra_body." + shortened(*patch.duplex.private_key)};
  }
  if (patch.speed && *patch.speed != 1.0 && !capabilities.adapts_speed) {
    return wire_error{.code = errc::invalid_session_config,
                      .message = "This model speaks at its own speed.",
                      .param = "session.speed"};
  }
  const bool has_voice = now.duplex.has_reference_voice || patch.duplex.ref_audio;
  const bool speaks = patch.modality.value_or(now.modality) == output_modality::audio;
  if (capabilities.needs_reference_voice && speaks && !has_voice) {
    return wire_error{.code = errc::ref_audio_required,
                      .message = "This model speaks only with a reference voice: send ref_audio.",
                      .param = "session.ref_audio"};
  }
  return std::nullopt;
}

}  // namespace

std::optional<wire_error> refused_open(const session_settings& start, const session_patch& patch,
                                       const model_capabilities& capabilities) {
  return refused_always(start, patch, capabilities);
}

std::optional<wire_error> refused_update(const session_settings& now, const session_patch& patch,
                                         const model_capabilities& capabilities, const session_life& life) {
  if (patch.model && *patch.model != now.model) {
    return wire_error{.code = errc::model_update_unsupported,
                      .message = "The model of a session cannot be changed.",
                      .param = "session.model"};
  }
  if (patch.voice && *patch.voice != now.voice && life.has_spoken) {
    return wire_error{.code = errc::cannot_update_voice,
                      .message = "The voice cannot be changed after the model has spoken.",
                      .param = "session.voice"};
  }
  if (patch.duplex.ref_audio) {
    return wire_error{.code = errc::ref_audio_update_unsupported,
                      .message = "The reference voice is settled when the session opens.",
                      .param = "session.ref_audio"};
  }
  if (patch.instructions && *patch.instructions != now.instructions && life.model_has_heard &&
      !capabilities.updates_instructions) {
    return wire_error{.code = errc::instructions_update_unsupported,
                      .message = "This model takes its instructions before the first audio only.",
                      .param = "session.instructions"};
  }
  return refused_always(now, patch, capabilities);
}

}  // namespace parley::runtime
