// The vocabulary of a connection, decided at its handshake. One session engine serves all of them.
#pragma once

#include <cstdint>

namespace parley::protocol {

enum class dialect : std::uint8_t {
  openai,       // GA names
  openai_beta,  // the names of OpenAI-Beta: realtime=v1
  duplex,       // the Realtime Duplex dialect: numbered, journaled, resumable
};

}  // namespace parley::protocol
