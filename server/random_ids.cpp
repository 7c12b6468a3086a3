#include "server/random_ids.hpp"

#include <sodium.h>

#include <array>
#include <stdexcept>
#include <string>

namespace parley::server {

namespace {

template <std::size_t Bytes>
std::string random_hex() {
  std::array<unsigned char, Bytes> bytes{};
  randombytes_buf(bytes.data(), bytes.size());
  std::array<char, 2 * Bytes + 1> hex{};
  sodium_bin2hex(hex.data(), hex.size(), bytes.data(), bytes.size());
  return hex.data();
}

}  // namespace

void prepare_randomness() {
  if (sodium_init() < 0) throw std::runtime_error("libsodium can not be initialised");
}

protocol::session_id new_session_id(protocol::dialect spoken) {
  return protocol::session_id{spoken == protocol::dialect::duplex ? "duplex-" + random_hex<16>()
                                                                  : "sess_" + random_hex<12>()};
}

protocol::event_id new_event_id() { return protocol::event_id{"event_" + random_hex<12>()}; }

std::uint64_t random_seed() {
  std::uint64_t seed = 0;
  randombytes_buf(&seed, sizeof seed);
  return seed;
}

}  // namespace parley::server
