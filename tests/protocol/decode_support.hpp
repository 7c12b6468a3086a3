// What the decoder tests share: a client that sends text frames from padded memory, and tables of refused events.
#pragma once

#include "protocol/decode.hpp"

#include <catch2/catch.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace parley::protocol {

class test_client {
 public:
  explicit test_client(dialect spoken = dialect::openai) : decoder_(spoken) {}

  // The frame is an allocation of its own, of exactly the promised size, so that a sanitizer sees any read beyond it.
  // The padding is junk that would change the outcome if it were taken for JSON.
  [[nodiscard]] result<command> send(std::string_view json) {
    frame_ = std::make_unique<char[]>(json.size() + frame_padding_bytes);
    json.copy(frame_.get(), json.size());
    for (std::size_t i = 0; i < frame_padding_bytes; ++i) frame_[json.size() + i] = i % 2 == 0 ? '{' : '"';
    return decoder_.decode({frame_.get(), json.size()});
  }

  template <class Body>
  [[nodiscard]] Body accepted(std::string_view json) {
    INFO(json.substr(0, 400));
    const result<command> read = send(json);
    if (read.has_error()) FAIL(read.error().message);
    client_event_id = read->client_event_id;
    REQUIRE(std::holds_alternative<Body>(read->body));
    return std::get<Body>(read->body);
  }

  [[nodiscard]] wire_error refused(std::string_view json) {
    INFO(json.substr(0, 400));
    const result<command> read = send(json);
    REQUIRE(read.has_error());
    return read.error();
  }

  std::optional<std::string> client_event_id;  // of the last accepted event

 private:
  decoder decoder_;
  std::unique_ptr<char[]> frame_;
};

// What a refused event is answered with; an empty param means null.
struct refusal {
  std::string json;
  errc code;
  std::string param;
};

inline void check_refusal(test_client& client, const refusal& row) {
  INFO(row.json.substr(0, 400));
  const wire_error error = client.refused(row.json);
  INFO(error.message);
  CHECK(error.kind == error_class::invalid_request_error);
  CHECK(wire_name(error.code) == wire_name(row.code));
  CHECK(error.param.value_or("") == row.param);
  CHECK_FALSE(error.message.empty());
}

}  // namespace parley::protocol
