// Any bytes as the answer of a language model: what is passed on is UTF-8, the same however the bytes were cut, with
// one ending and nothing behind it. The first byte says how they are cut; the rest are lines, each the data of an
// event.
#include "adapters/http/sse_parser.hpp"
#include "adapters/local/chat_stream.hpp"

#include <simdjson.h>

#include <algorithm>
#include <cstdlib>
#include <string>

// One translation unit for the parts of Boost.JSON: as a library it would not be watched.
#include <boost/json/src.hpp>

namespace {

using namespace parley;
using namespace parley::adapters;

void require(bool holds) {
  if (!holds) std::abort();
}

// One answer, spelled out.
struct answer {
  std::string all;
  int endings = 0;

  void note(std::string_view kind, const std::string& text) {
    require(endings == 0);
    require(simdjson::validate_utf8(text.data(), text.size()));
    (all += kind) += text;
  }
};

answer read(const std::string& bytes, std::size_t step) {
  answer got;
  std::string text;
  local::chat_stream stream(
      protocol::response_id("r"),
      {.text = [&](const std::string& piece) { got.note("", piece); },
       .tool_call =
           [&](const runtime::model_tool_call& call) {
             got.note(" id ", call.call.value);
             got.note(" name ", call.name);
             got.note(call.last ? " last " : " more ", call.arguments_delta);
           },
       .done = [&](auto, auto) { got.note(" done", ""), ++got.endings; },
       .failed = [&](const std::string& message) { got.note(" failed ", message), ++got.endings; }});
  http::sse_parser parser(64 * 1024);
  const auto on_event = [&](const http::sse_event& event) { stream.event(event.name, event.data); };
  for (std::size_t at = 0; at < bytes.size(); at += step) {
    if (!parser.feed(std::string_view(bytes).substr(at, step), on_event)) stream.fail("too large");
  }
  parser.finish(on_event);
  stream.end();
  require(got.endings == 1);
  return got;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  std::string bytes = "data: ";
  for (std::size_t at = 1; at < size; ++at) {
    bytes += static_cast<char>(data[at]);
    if (data[at] == '\n') bytes += "\ndata: ";
  }
  bytes += "\n\n";
  require(read(bytes, data[0] % 7 + 1U).all == read(bytes, bytes.size()).all);
  return 0;
}
