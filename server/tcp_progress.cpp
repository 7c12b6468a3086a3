#include "server/tcp_progress.hpp"

// The kernel's own header: the C library's knows no tcpi_bytes_acked. The two can not be included together, and Asio
// includes the other one.
#include <linux/sockios.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <cstddef>

namespace parley::server {

namespace {

std::uint64_t asked(int socket, unsigned long what) noexcept {
  int bytes = 0;
  return ::ioctl(socket, what, &bytes) == 0 && bytes > 0 ? static_cast<std::uint64_t>(bytes) : 0;
}

}  // namespace

tcp_progress progress_of(int socket) noexcept {
  tcp_progress out;
  tcp_info info{};
  socklen_t size = sizeof info;
  constexpr auto needed = offsetof(tcp_info, tcpi_bytes_acked) + sizeof info.tcpi_bytes_acked;
  if (::getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size) == 0 && size >= needed)
    out.acked = info.tcpi_bytes_acked;
  out.unacked = asked(socket, SIOCOUTQ);
  out.unread = asked(socket, FIONREAD);
  return out;
}

}  // namespace parley::server
