// A slow link of its own for a measurement: two network namespaces, joined by a pair of veth devices with the MTU of an
// Ethernet, each of which lets so many bits a second out (tc tbf). The server runs at one end, this process at the
// other:
//
//   this thread  10.77.0.2 [veth, tbf] ---- [veth, tbf] 10.77.0.1  the server
//
// The namespaces have no name: they last as long as this object and the processes in them, so nothing is left behind,
// however the program ends. Needs root and iproute2. Errors: exceptions.
#pragma once

#include <functional>
#include <string>

namespace parley::bench {

// Lifecycle: the constructor puts the calling thread at the client's end, the destructor puts it back.
class slow_link {
 public:
  slow_link();
  ~slow_link();
  slow_link(const slow_link&) = delete;
  slow_link& operator=(const slow_link&) = delete;

  // Of both directions.
  void set_rate(double megabits_per_second);
  // What is started in there runs at the server's end.
  void at_server(const std::function<void()>& work);

  static constexpr const char* server_address = "10.77.0.1";

 private:
  void connect_ends();
  void leave() noexcept;

  int home_ = -1;  // descriptors of namespaces
  int server_end_ = -1;
  int client_end_ = -1;
  // Thread safety: none; used by the thread that made it.
};

}  // namespace parley::bench
