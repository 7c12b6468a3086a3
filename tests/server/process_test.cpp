#include "server/process.hpp"

#include <catch2/catch.hpp>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <functional>

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#include <malloc.h>
#define PARLEY_GLIBC_ALLOCATOR
#endif

using namespace parley::server;

namespace {

// In a process of its own, because it is about the process. Its exit code; -1 when a signal ended it.
int in_child(const std::function<int()>& work) {
  const auto child = ::fork();
  if (child == 0) ::_exit(work());
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int write_without_reader() {
  int ends[2];
  if (::pipe(ends) != 0) return 1;
  ::close(ends[0]);
  return ::write(ends[1], "x", 1) == -1 ? 0 : 2;
}

}  // namespace

TEST_CASE("F6: a write into a pipe without a reader does not end the process", "[server][process]") {
  std::signal(SIGPIPE, SIG_DFL);
  CHECK(in_child(write_without_reader) == -1);
  CHECK(in_child([] {
          ignore_broken_pipes();
          return write_without_reader();
        }) == 0);
}

TEST_CASE("F6: a closed standard stream's number is not left to a socket", "[server][process]") {
  const auto next_number = [](bool keep) {
    ::close(STDIN_FILENO);
    ::close(STDERR_FILENO);
    if (keep) keep_standard_streams();
    return ::dup(STDOUT_FILENO);
  };
  CHECK(in_child([&] { return next_number(false); }) == STDIN_FILENO);
  CHECK(in_child([&] { return next_number(true); }) > STDERR_FILENO);
}

#ifdef PARLEY_GLIBC_ALLOCATOR
namespace {

// Whether a large block is a mapping of its own, after larger ones were freed: else it may stay after its end.
int large_block_is_mapped() {
  constexpr std::size_t mebibyte = 1024 * 1024;
  std::free(std::malloc(31 * mebibyte));
  ::malloc_trim(0);  // what the tests before have left at the end of the heap
  const auto before = ::mallinfo2().hblks;
  void* const block = std::malloc(30 * mebibyte);
  const auto after = ::mallinfo2().hblks;
  std::free(block);
  return after > before ? 0 : 1;
}

}  // namespace

TEST_CASE("F23: large blocks go back to the system when they are freed, whatever was freed before",
          "[server][process]") {
  for (const auto* name : {"GLIBC_TUNABLES", "MALLOC_MMAP_THRESHOLD_", "MALLOC_TRIM_THRESHOLD_"}) {
    if (std::getenv(name) != nullptr) return;  // whoever runs the tests has decided
  }
  CHECK(in_child(large_block_is_mapped) == 1);
  CHECK(in_child([] {
          tame_allocator();
          return large_block_is_mapped();
        }) == 0);
  CHECK(in_child([] {
          ::setenv("MALLOC_TRIM_THRESHOLD_", "1000000", 1);
          tame_allocator();
          return large_block_is_mapped();
        }) == 1);
}
#endif
