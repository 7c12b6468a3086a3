// A TCP server for tests that plays scripted bytes: it reads one HTTP request, writes what the script says, then
// closes, resets, or waits for the peer to close. Counts what happened, so that a test can wait for it.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace parley::adapters {

enum class raw_ending : unsigned char { close, reset, wait_for_peer };

// What one connection does after it has read the request.
struct raw_script {
  std::vector<std::string> pieces{};  // each written on its own
  raw_ending ending = raw_ending::close;
};

// Thread safety: all members may be called from any thread.
class raw_server {
 public:
  // The n-th connection plays the n-th script; further ones the last.
  explicit raw_server(std::vector<raw_script> scripts);
  ~raw_server();
  raw_server(const raw_server&) = delete;
  raw_server& operator=(const raw_server&) = delete;

  [[nodiscard]] std::string url(const std::string& target = "/v1/chat/completions") const;
  // False when it did not happen within 30 s.
  [[nodiscard]] bool wait_for_requests(std::size_t count);
  [[nodiscard]] bool wait_for_closed(std::size_t count);    // connections that ended, for whatever reason
  [[nodiscard]] std::vector<std::string> requests() const;  // head and body

 private:
  class impl;
  std::unique_ptr<impl> impl_;
};

// "HTTP/1.1 200" with an event stream in one chunk-encoded body, ended properly.
[[nodiscard]] std::string chunk(const std::string& bytes);
inline const std::string stream_head =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
inline const std::string last_chunk = "0\r\n\r\n";

}  // namespace parley::adapters
