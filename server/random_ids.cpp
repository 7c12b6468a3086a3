#include "server/random_ids.hpp"

#include <sodium.h>

#include <array>
#include <stdexcept>
#include <string>

namespace parley::server {

void prepare_randomness() {
  if (sodium_init() < 0) throw std::runtime_error("libsodium can not be initialised");
}

protocol::session_id new_session_id() {
  std::array<unsigned char, 12> bytes{};
  randombytes_buf(bytes.data(), bytes.size());
  std::array<char, 2 * bytes.size() + 1> hex{};
  sodium_bin2hex(hex.data(), hex.size(), bytes.data(), bytes.size());
  return protocol::session_id{std::string("sess_") + hex.data()};
}

std::uint64_t random_seed() {
  std::uint64_t seed = 0;
  randombytes_buf(&seed, sizeof seed);
  return seed;
}

}  // namespace parley::server
