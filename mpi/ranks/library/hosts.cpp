// Calls of functions that hosts run. Those of C take and give bytes.

#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "maslin_host.hpp"
#include "state.hpp"
#include "threads.hpp"

namespace maslin::detail {

mpi_caller::mpi_caller() : rank(mpi::me.world), function_of(mpi::me.of->host), turn_(mpi::threads) {
  if (turn_) static_cast<mpi::rank_threads*>(turn_)->begin_call();
}
mpi_caller::~mpi_caller() {
  if (turn_) static_cast<mpi::rank_threads*>(turn_)->end_call();
}

}  // namespace maslin::detail

namespace mpi {

namespace {

using bytes = std::vector<std::byte>;

/// The function as a host has it. The first value is how many bytes the caller has room for.
auto of_bytes(MPIX_Host_function* function) {
  return [function](int room, std::span<const std::byte> given) {
    bytes result(static_cast<std::size_t>(room));
    const int written = function(given.data(), static_cast<int>(given.size()), result.data(), room);
    if (written < 0) throw maslin::error("it returned " + std::to_string(written));
    if (written > room)
      throw maslin::error("it returned " + std::to_string(written) + ", and there is room for " + std::to_string(room) +
                          " bytes");
    result.resize(static_cast<std::size_t>(written));
    return result;
  };
}

/// Gives the code whose words these are from now on.
int code_for(const std::string& words) {
  static int code = 0;
  if (code == 0) code = last_error_code() + 1;
  me.own_errors[code] = {MPI_ERR_OTHER, words};
  return code;
}

bytes call_of_bytes(const call& in, const char* name, std::span<const std::byte> given, int room) {
  try {
    return maslin::call<bytes>(maslin::function_name(std::string_view(name), in.where), room, given);
  } catch (const maslin::error& e) {
    if (me.world && job_has_failed()) throw;
    std::string words = e.what();
    const std::string place = " at @:" + std::to_string(in.where.line());  // which is told anyway
    if (const std::size_t at = words.find(place); at != std::string::npos) words.erase(at, place.size());
    throw failure{code_for(words), words};
  }
}

}  // namespace

}  // namespace mpi

using namespace mpi;

extern "C" int MPIX_Host_offer(MPIX_Host host, const char* name, MPIX_Host_function* function) {
  const call in{"MPIX_Host_offer", place_of("@", __builtin_return_address(0))};
  return carry_out_always(in, [&] {
    expect_pointer(host, "the host");
    expect_pointer(name, "the name");
    expect_pointer(reinterpret_cast<const void*>(function), "the function");
    host->offer(name, of_bytes(function), in.where);
  });
}
extern "C" int MPIX_Host_call(const char* name, const void* given, int size, void* result, int room,
                              int* result_bytes) {
  const call in{"MPIX_Host_call", place_of("@", __builtin_return_address(0))};
  const auto make = [&] {
    expect_pointer(name, "the name");
    if (size < 0 || room < 0) throw failure{MPI_ERR_COUNT, std::to_string(size < 0 ? size : room) + " bytes"};
    if (size > 0) expect_pointer(given, "what is given");
    if (room > 0) expect_pointer(result, "the result");
    const bytes got =
        call_of_bytes(in, name, {static_cast<const std::byte*>(given), static_cast<std::size_t>(size)}, room);
    if (!got.empty()) std::memcpy(result, got.data(), got.size());
    if (result_bytes) *result_bytes = static_cast<int>(got.size());
  };
  if (me.world) return carry_out_always(in, make);
  try {  // a host has no communicator whose error handler could be told
    make();
    return MPI_SUCCESS;
  } catch (const failure& e) {
    return e.error_class;
  }
}
