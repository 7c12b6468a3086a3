#include "runtime/readable_output.hpp"

#include "protocol/utf8_repair.hpp"

#include <utility>

namespace parley::runtime {
namespace {

void mend(std::string& text) { text = protocol::repaired_utf8(std::move(text)); }

struct mender {
  void operator()(turn_partial& one) const { mend(one.delta); }
  void operator()(turn_guess& one) const { mend(one.words); }
  void operator()(turn_ready& one) const {
    if (one.transcript) mend(*one.transcript);
    if (!one.logprobs) return;
    for (auto& word : *one.logprobs) mend(word.token);
  }
  void operator()(turn_blank&) const {}
  void operator()(turn_failed& one) const { mend(one.message); }
  void operator()(model_text& one) const { mend(one.text); }
  void operator()(model_message_begun&) const {}
  void operator()(model_speech& one) const { mend(one.transcript); }
  void operator()(model_tool_call& one) const {
    mend(one.call.value);
    mend(one.name);
    mend(one.arguments_delta);
  }
  void operator()(model_done&) const {}
  void operator()(model_failed& one) const { mend(one.message); }
  void operator()(model_speak&) const {}
  void operator()(model_listen&) const {}
  void operator()(model_unit_failed& one) const { mend(one.message); }
  void operator()(model_closed& one) const { mend(one.message); }
};

}  // namespace

model_output readable(model_output output) {
  std::visit(mender{}, output);
  return output;
}

}  // namespace parley::runtime
