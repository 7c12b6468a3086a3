#include "protocol/quote.hpp"

#include <catch2/catch.hpp>

#include <string>

namespace parley::protocol {

TEST_CASE("F1: what a client said is quoted short, and cut between characters", "[protocol][quote]") {
  CHECK(quoted("") == "''");
  CHECK(quoted(std::string(64, 'x')) == "'" + std::string(64, 'x') + "'");
  CHECK(quoted(std::string(65, 'x')) == "'" + std::string(64, 'x') + "...'");
  std::string faces;
  for (int i = 0; i < 20; ++i) faces += "\U0001F600";
  CHECK(shortened("x" + faces) == "x" + faces.substr(0, 60) + "...");
  CHECK(shortened(faces, 3) == "...");
  CHECK(character_count(faces) == 20);
}

}  // namespace parley::protocol
