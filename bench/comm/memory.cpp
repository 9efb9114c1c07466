// What memory a rank of ms::ranks takes. comm_memory RANKS prints one line of JSON: bytes a rank when all ranks wait,
// beside its stack; bytes of the stack that are touched; and whether each got its neighbours' messages.

#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>

#include "maslin/maslin.hpp"

namespace ms = maslin;

namespace {

/// Gives the process's memory that belongs to no file, and the tables of its pages.
std::int64_t bytes_now() {
  std::ifstream status("/proc/self/status");
  std::int64_t kib = 0;
  for (std::string line; std::getline(status, line);) {
    std::istringstream words(line);
    std::string key;
    std::int64_t value = 0;
    words >> key >> value;
    if (key == "RssAnon:" || key == "VmPTE:") kib += value;
  }
  return kib * 1024;
}

/// Gives how many bytes of the caller's stack have memory.
std::int64_t stack_bytes() {
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) / page * page;
  const auto has_memory = [&](std::uintptr_t at) {
    unsigned char is = 0;  // guard pages and what is no memory end it
    return mincore(reinterpret_cast<void*>(at), page, &is) == 0 && (is & 1) != 0;
  };
  std::int64_t pages = 0;
  for (std::uintptr_t at = here; has_memory(at); at += page) ++pages;
  for (std::uintptr_t at = here - page; has_memory(at); at -= page) ++pages;
  return pages * static_cast<std::int64_t>(page);
}

}  // namespace

int main(int argc, char** argv) {
  const int ranks = argc > 1 ? std::atoi(argv[1]) : 0;
  if (ranks < 2) {
    std::fprintf(stderr, "comm_memory: expected how many ranks, 2 or more\n");
    return 2;
  }
  const ms::Runtime runtime;
  ms::parallel_for(0, 1000, [](ms::range) {});  // the workers are there
  const std::int64_t before = bytes_now();
  std::int64_t between = 0;
  std::atomic<bool> right = true;
  std::atomic<std::int64_t> stacks = 0;
  ms::ranks(ranks, [&](ms::communicator& world) {
    const int me = world.rank(), next = (me + 1) % ranks, last = (me + ranks - 1) % ranks;
    int from_last = -1, from_next = -1;
    world.exchange(me, next, from_last, last);
    world.exchange(me, last, from_next, next);
    if (from_last != last || from_next != next) right = false;
    if (world.all_reduce(1, std::plus{}) != ranks) right = false;
    stacks += stack_bytes();
    // Rank 0 looks once all others wait for it.
    if (me == 0) {
      for (int one = 1; one < ranks; ++one) {
        int is_ready;
        world.receive(is_ready, ms::any_source);
      }
      between = bytes_now();
    } else {
      world.send(me, 0);
    }
    world.barrier();
  });
  std::printf("{\"bytes\": %.1f, \"stack\": %.1f, \"checked\": %s}\n",
              static_cast<double>(between - before - stacks) / ranks, static_cast<double>(stacks) / ranks,
              right ? "true" : "false");
  return right ? 0 : 1;
}
