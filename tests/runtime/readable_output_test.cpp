#include "runtime/readable_output.hpp"

#include <catch2/catch.hpp>

namespace parley::runtime {
namespace {

const std::string bad =
    "a\xFF"
    "b";
const std::string mended =
    "a\xEF\xBF\xBD"
    "b";

template <class Output>
Output mend(Output one) {
  return std::get<Output>(readable(std::move(one)));
}

}  // namespace

TEST_CASE("F13: no text of a model leaves the session's gate broken", "[runtime]") {
  CHECK(mend(turn_partial{.delta = bad}).delta == mended);
  CHECK(mend(turn_guess{.words = bad}).words == mended);
  const auto ready = mend(turn_ready{.transcript = bad, .logprobs = std::vector<protocol::token_logprob>{{bad, -1}}});
  CHECK(ready.transcript == mended);
  CHECK(ready.logprobs->front().token == mended);
  CHECK_FALSE(mend(turn_ready{}).transcript);
  CHECK(mend(turn_failed{.message = bad}).message == mended);
  CHECK(mend(model_text{.text = bad}).text == mended);
  CHECK(mend(model_speech{.transcript = bad}).transcript == mended);
  const auto call = mend(model_tool_call{.call = protocol::call_id(bad), .name = bad, .arguments_delta = bad});
  CHECK(call.call.value == mended);
  CHECK(call.name == mended);
  CHECK(call.arguments_delta == mended);
  CHECK(mend(model_failed{.message = bad}).message == mended);
  CHECK(mend(model_unit_failed{.message = bad}).message == mended);
  CHECK(mend(model_closed{.message = bad}).message == mended);
}

}  // namespace parley::runtime
