#include "server/guess_table.hpp"

#include <catch2/catch.hpp>

#include <string>

using boost::asio::ip::make_address;
using parley::server::guess_table;
using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

const auto start = guess_table::time_point{} + std::chrono::hours{1};
const auto guesser = make_address("203.0.113.7");

void guess(guess_table& table, int times, const boost::asio::ip::address& from = guesser) {
  for (int i = 0; i < times; ++i) table.note(from, start);
}

}  // namespace

TEST_CASE("F7: a few wrong keys cost nothing, more of them ever more time, up to a second", "[server][guess_table]") {
  guess_table table;
  CHECK(table.delay(guesser, start) == milliseconds{0});
  guess(table, guess_table::free_guesses);
  CHECK(table.delay(guesser, start) == milliseconds{0});
  for (const int expected : {50, 100, 200, 400, 800, 1000, 1000, 1000}) {
    guess(table, 1);
    CHECK(table.delay(guesser, start) == milliseconds{expected});
  }
  guess(table, 100'000);
  CHECK(table.delay(guesser, start) == guess_table::longest_delay);
  CHECK(table.total() == 100'028);
}

TEST_CASE("F7: nobody else waits, and what is over is forgiven", "[server][guess_table]") {
  guess_table table;
  guess(table, 1000);
  CHECK(table.delay(make_address("203.0.113.8"), start) == milliseconds{0});
  CHECK(table.delay(guesser, start + seconds{5}) == milliseconds{800});
  CHECK(table.delay(guesser, start + seconds{29}) == milliseconds{50});
  CHECK(table.delay(guesser, start + seconds{30}) == milliseconds{0});
  CHECK(table.delay(guesser, start + std::chrono::hours{9}) == milliseconds{0});
}

TEST_CASE("F7: an IPv6 network counts as one, an IPv4 address as itself in either form", "[server][guess_table]") {
  guess_table table;
  guess(table, 30, make_address("2001:db8:1:2::1"));
  CHECK(table.delay(make_address("2001:db8:1:2:ffff::9"), start) == guess_table::longest_delay);
  CHECK(table.delay(make_address("2001:db8:1:3::1"), start) == milliseconds{0});
  guess(table, 30, make_address("::ffff:192.0.2.1"));
  CHECK(table.delay(make_address("192.0.2.1"), start) == guess_table::longest_delay);
  CHECK(table.delay(make_address("192.0.2.2"), start) == milliseconds{0});
}

TEST_CASE("F7: the table is bounded, and who guesses goes last", "[server][guess_table]") {
  guess_table table;
  for (unsigned i = 0; i < 3 * guess_table::max_addresses; ++i) {
    const auto now = start + milliseconds{i};
    table.note(boost::asio::ip::address_v4(0x0a000000U + i), now);
    for (int j = 0; j < 2 && i < 40; ++j) table.note(guesser, now);
    if (i % 1000 == 0) table.note(guesser, now);
  }
  CHECK(table.addresses() == guess_table::max_addresses);
  CHECK(table.delay(guesser, start + seconds{12}) > milliseconds{0});
}
