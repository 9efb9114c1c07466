// Phases and off-loads as C sees them.

#include "maslin/phase.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <set>
#include <string>

#include "c_api/boundary.hpp"
#include "maslin/offload.hpp"

namespace maslin::c_api {

namespace {

/// Gives the name at an address that lasts as long as the process; a phase and a kernel keep theirs.
const char* lasting(const char* name) {
  expect(name && *name, "name is NULL or empty: expected what traces and reports are to call it");
  const base::locked held(lasting_lock);
  static auto& known = *new std::set<std::string>;
  return known.insert(name).first->c_str();
}

void run_phase(maslin_location where, const char* name, std::int64_t streams, maslin_stream_body body, void* env) {
  const char* kept = lasting(name);
  expect(body, "body is NULL: expected a function");
  if (streams < 0) throw bad_argument("streams = " + std::to_string(streams) + ": expected 0 or more");
  struct environment {
    maslin_stream_body body;
    void* env;
    const char* name;
    maslin_location where;
  } all{body, env, kept, where};
  const auto run = [](void* at, std::int64_t index) {
    const auto& in = *static_cast<environment*>(at);
    begin_body();
    if (const int value = in.body(in.env, index))
      throw_value("stream " + std::to_string(index) + " of the phase \"" + in.name + "\" at " + text(in.where), value);
  };
  detail::run_phase({kept, streams, run, &all, place(where)});
}

void read_report(const char* name, maslin_phase_report* to) {
  expect(name, "name is NULL: expected the name of a phase");
  expect(to, "report is NULL: expected where to put it");
  const std::size_t size = to->size;
  if (size < sizeof(to->size) || size > largest_struct)
    throw bad_argument("report->size = " + std::to_string(size) + ": expected sizeof(maslin_phase_report)");
  const auto found = report(name);
  if (!found) throw bad_argument(std::string("no phase \"") + name + "\" has begun: expected the name of one that has");
  maslin_phase_report all{};
  all.size = size;
  all.streams = found->streams;
  all.done = found->done;
  all.running = found->running;
  all.current_streams = found->current.streams;
  all.current_width = found->current.width;
  if (found->chosen) {
    all.chosen_streams = found->chosen->streams;
    all.chosen_width = found->chosen->width;
  }
  all.work = found->work;
  all.seconds = found->seconds;
  // What a later version would say more is 0.
  if (size > sizeof(all)) std::memset(reinterpret_cast<char*>(to) + sizeof(all), 0, size - sizeof(all));
  std::memcpy(to, &all, std::min(size, sizeof(all)));
}

/// One more than the highest number that was given: what is beyond is no kernel.
std::atomic<std::uint32_t> kernels{0};

std::uint32_t number_of(const char* name) {
  const std::uint32_t number = detail::register_kernel(lasting(name));
  std::uint32_t seen = kernels.load(std::memory_order_relaxed);
  while (seen <= number && !kernels.compare_exchange_weak(seen, number + 1, std::memory_order_relaxed)) {
  }
  return number;
}

void run_offload(maslin_location where, maslin_kernel kernel, int (*body)(void*), void* env) {
  expect(body, "body is NULL: expected a function");
  if (kernel >= kernels.load(std::memory_order_relaxed))
    throw bad_argument("kernel = " + std::to_string(kernel) + ": expected a number that maslin_kernel_named gave");
  c_body kept{body, env, "the kernel off-loaded", where};
  detail::run_offload(kernel, run_body, &kept);
}

}  // namespace

}  // namespace maslin::c_api

using namespace maslin::c_api;

int maslin_phase_at(maslin_location where, const char* name, int64_t streams, maslin_stream_body body, void* env) {
  return guarded_wait("maslin_phase", where, [&] { run_phase(where, name, streams, body, env); });
}

int maslin_report_at(maslin_location where, const char* name, maslin_phase_report* report) {
  return guarded("maslin_report", where, [&] { read_report(name, report); });
}

int maslin_kernel_named_at(maslin_location where, const char* name, maslin_kernel* kernel) {
  return guarded("maslin_kernel_named", where, [&] {
    expect(kernel, "kernel is NULL: expected where to put the number");
    *kernel = number_of(name);
  });
}

int maslin_offload_at(maslin_location where, maslin_kernel kernel, int (*body)(void* env), void* env) {
  return guarded("maslin_offload", where, [&] { run_offload(where, kernel, body, env); });
}
