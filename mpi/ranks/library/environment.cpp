// Begin and end, and what the program runs on.

#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "comm/processes.hpp"
#include "maslin/runtime.hpp"
#include "state.hpp"
#include "together.hpp"

// The C library's: calls the exit handlers and destructors of the image that has this handle.
// NOLINTBEGIN(clang-diagnostic-reserved-identifier)
extern "C" void __cxa_finalize(void*);
extern "C" __attribute__((visibility("hidden"))) void* __dso_handle;
// NOLINTEND(clang-diagnostic-reserved-identifier)

namespace mpi {

std::atomic<stage> stage_reached = stage::before;
state& me = *new state;  // exit handlers and destructors of the program may use it

void throw_no_type(MPI_Datatype type) {
  if (me.types.find(type)) throw failure{MPI_ERR_TYPE, "the datatype needs MPI_Type_commit first"};
  throw failure{MPI_ERR_TYPE, "there is no datatype " + std::to_string(type)};
}
datatype& editable_type(MPI_Datatype type) {
  type_of(type, false);
  return *me.types.find(type);
}
const operation& operation_of(MPI_Op op) {
  const operation* const found = me.operations.find(op);
  if (!found) throw failure{MPI_ERR_OP, "there is no operation " + std::to_string(op)};
  return *found;
}
const group& group_of(MPI_Group group) {
  const mpi::group* const found = me.groups.find(group);
  if (!found) throw failure{MPI_ERR_GROUP, "there is no group " + std::to_string(group)};
  return *found;
}

namespace {

void initialize(const call& in) {
  if (me.of->host) end_since_not_between(in);
  if (stage_reached != stage::before)
    me.of->end(me.of->rank, MPI_ERR_OTHER,
               ("rank " + std::to_string(me.of->rank) + ": " + in.name + " is called a second time").c_str());
  const int rank = me.world->rank();
  const auto add = [&](const char* name, int color, int key) {
    auto made = std::make_shared<communicator>(me.world->split(color, key, in.where), in.where);
    made->name = name;
    maslin::detail::name_communicator(made->channel, name);
    me.communicators.add_for_good(std::move(made));
  };
  add("MPI_COMM_WORLD", 0, rank);
  add("MPI_COMM_SELF", rank, 0);
  me.main_thread = pthread_self();
}

/// More than FUNNELED, where the rank may wait for its own threads.
void initialize_threads(const call& in, int required) {
  static constexpr const char* names[] = {"SINGLE", "FUNNELED", "SERIALIZED", "MULTIPLE"};
  if (required < MPI_THREAD_SINGLE || required > MPI_THREAD_MULTIPLE)
    throw failure{MPI_ERR_ARG, "there is no level of threads " + std::to_string(required)};
  initialize(in);
  me.thread_level = std::min<int>(required, MPI_THREAD_FUNNELED);
  if (required == me.thread_level) return;
  if (let_threads_call())
    me.thread_level = required;
  else if (me.of->speaks)
    std::fprintf(
        stderr,
        "maslin-mpirun: MPI_Init_thread gives MPI_THREAD_FUNNELED, not MPI_THREAD_%s, which needs a worker for "
        "each rank, on a CPU of this machine; %s\n",
        names[required],
        me.of->has_threads ? "MASLIN_SERIAL, MASLIN_MACHINE or --place is against that"
                           : "start it with maslin-mpirun --threads");
}

}  // namespace

}  // namespace mpi

using namespace mpi;

const void* maslin_mpi_attach(maslin::communicator* world, const job* of) {
  me.world = world;
  me.of = of;
  stdin = of->input;  // the rank's own (input.c)
  for (auto& type : predefined_types()) me.types.add_for_good(std::move(type));
  for (auto& op : predefined_operations()) me.operations.add_for_good(std::move(op));
  me.groups.add(std::make_shared<group>());
  me.infos.add(std::make_shared<info>());
  for (int i = 0; i < 2; ++i) me.error_handlers.add(std::make_shared<error_handler>(error_handler{nullptr}));
  return &me;
}

bool maslin_mpi_detach() {
  __cxa_finalize(&__dso_handle);
  const called turn;
  if (stage_reached == stage::between) return false;
  me.buffered.clear();
  me.requests.clear();
  me.communicators.clear();
  return true;
}

MASLIN_MPI_DEFINE(Init, (int*, char***)) {
  const call in = MASLIN_MPI_CALL(Init);
  try {
    initialize(in);
    stage_reached = stage::between;
    return MPI_SUCCESS;
  } catch (...) {
    return handle_exception(in, MPI_COMM_WORLD);
  }
}
MASLIN_MPI_DEFINE(Init_thread, (int*, char***, int required, int* provided)) {
  const call in = MASLIN_MPI_CALL(Init_thread);
  try {
    expect_pointer(provided, "what is provided");
    initialize_threads(in, required);
    stage_reached = stage::between;  // behind all else: other threads may wait for it, and call then
    *provided = me.thread_level;
    return MPI_SUCCESS;
  } catch (...) {
    return handle_exception(in, MPI_COMM_WORLD);
  }
}
MASLIN_MPI_DEFINE(Query_thread, (int* provided)) {
  *provided = me.thread_level;
  return MPI_SUCCESS;
}
MASLIN_MPI_DEFINE(Is_thread_main, (int* flag)) {
  *flag = pthread_equal(me.main_thread, pthread_self()) != 0;
  return MPI_SUCCESS;
}
MASLIN_MPI_DEFINE(Initialized, (int* flag)) {
  *flag = stage_reached != stage::before;
  return MPI_SUCCESS;
}
MASLIN_MPI_DEFINE(Finalized, (int* flag)) {
  *flag = stage_reached == stage::behind;
  return MPI_SUCCESS;
}
MASLIN_MPI_DEFINE(Finalize, (void)) {
  const call in = MASLIN_MPI_CALL(Finalize);
  return carry_out(in, MPI_COMM_WORLD, [&] {
    const auto expect_no_other = [] {
      if (threads && threads->callers() > 1)
        throw failure{MPI_ERR_OTHER, "another thread of the rank is in a call of MPI; end it before"};
    };
    delete_attributes(MPI_COMM_SELF, communicator_of(MPI_COMM_SELF).attributes);  // may end threads
    expect_no_other();
    me.buffered.wait(in.where);
    meet(communicator_of(MPI_COMM_WORLD), in);
    expect_no_other();
    stage_reached = stage::behind;
  });
}
MASLIN_MPI_DEFINE(Abort, (MPI_Comm, int code)) {
  const call in = MASLIN_MPI_CALL(Abort);
  const std::string text =
      who() + ": MPI_Abort with code " + std::to_string(code) + " at @:" + std::to_string(in.where.line());
  me.of->end(me.of->rank, code, text.c_str());
  return MPI_ERR_INTERN;
}
MASLIN_MPI_DEFINE(Get_processor_name, (char* name, int* length)) {
  if (gethostname(name, MPI_MAX_PROCESSOR_NAME) != 0) std::strcpy(name, "localhost");
  name[MPI_MAX_PROCESSOR_NAME - 1] = '\0';
  *length = static_cast<int>(std::strlen(name));
  return MPI_SUCCESS;
}
MASLIN_MPI_DEFINE(Get_version, (int* version, int* subversion)) {
  *version = MPI_VERSION;
  *subversion = MPI_SUBVERSION;
  return MPI_SUCCESS;
}
MASLIN_MPI_DEFINE(Get_library_version, (char* version, int* length)) {
  static constexpr char text[] = "Maslin " MASLIN_VERSION;
  std::memcpy(version, text, sizeof text);
  *length = static_cast<int>(sizeof text) - 1;
  return MPI_SUCCESS;
}
MASLIN_MPI_DEFINE(Pcontrol, (const int, ...)) { return MPI_SUCCESS; }
MASLIN_MPI_DEFINE(Alloc_mem, (MPI_Aint size, MPI_Info, void* base)) {
  return carry_out(MASLIN_MPI_CALL(Alloc_mem), MPI_COMM_WORLD, [&] {
    if (size < 0) throw failure{MPI_ERR_ARG, std::to_string(size) + " bytes"};
    void* const memory = std::malloc(size > 0 ? static_cast<std::size_t>(size) : 1);
    if (!memory) throw failure{MPI_ERR_NO_MEM, "there are no " + std::to_string(size) + " bytes"};
    std::memcpy(base, &memory, sizeof memory);
  });
}
MASLIN_MPI_DEFINE(Free_mem, (void* base)) {
  std::free(base);
  return MPI_SUCCESS;
}
MASLIN_MPI_DEFINE(Get_address, (const void* location, MPI_Aint* address)) {
  *address = reinterpret_cast<MPI_Aint>(location);
  return MPI_SUCCESS;
}
MASLIN_MPI_DEFINE(Address, (void* location, MPI_Aint* address)) { return PMPI_Get_address(location, address); }

extern "C" {
double PMPI_Wtime(void) { return maslin::time().count(); }
__attribute__((weak, alias("PMPI_Wtime"))) double MPI_Wtime(void);
double PMPI_Wtick(void) { return 1e-9; }
__attribute__((weak, alias("PMPI_Wtick"))) double MPI_Wtick(void);
MPI_Aint MPI_Aint_add(MPI_Aint base, MPI_Aint displacement) { return base + displacement; }
MPI_Aint MPI_Aint_diff(MPI_Aint one, MPI_Aint other) { return one - other; }
}
