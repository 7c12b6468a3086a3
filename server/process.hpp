// What the whole process needs before the server starts: nobody who holds the other end of a pipe may end it, no socket
// may get the number of a closed standard stream, and what large messages took goes back to the system.
#pragma once

namespace parley::server {

// Once, before the first thread: all of the below.
void prepare_process();

// A write into a pipe that nobody reads any more is an error of that write.
void ignore_broken_pipes();
// Standard streams that the caller closed become /dev/null: else a socket would be taken for the log.
void keep_standard_streams();
// By itself glibc keeps blocks as large as the largest that was ever freed (up to 32 MiB) in its arenas; here they are
// mappings of their own and go back when they are freed. What an operator set by the environment (a
// MALLOC_..._THRESHOLD_, GLIBC_TUNABLES) holds. Nothing where the C library is another.
void tame_allocator();

}  // namespace parley::server
