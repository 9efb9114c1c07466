#include "failure.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <new>
#include <string>

#include "maslin/error.hpp"
#include "state.hpp"

namespace mpi {

namespace {

std::string described(const call& in, const std::string& text) {
  return who() + ": " + in.name + " at @:" + std::to_string(in.where.line()) + ": " + text;
}

/// What Maslin says of ranks that wait for each other, without what each of them would add.
std::string without_preface(std::string text) {
  const std::size_t at = text.find("all ranks of ms::ranks wait for each other");
  if (at == std::string::npos) return text;
  text = text.substr(at);
  return text.erase(text.find(" of ms::ranks"), std::strlen(" of ms::ranks"));
}

}  // namespace

std::string who() { return me.of->host ? "a host" : "rank " + std::to_string(me.of->rank); }

bool job_has_failed() {
  try {
    me.world->look();
    return false;
  } catch (const maslin::error&) {
    return true;
  }
}

int class_of(const maslin::error& of) {
  return dynamic_cast<const maslin::comm::other_elements*>(&of) ? MPI_ERR_TYPE : MPI_ERR_TRUNCATE;
}

int last_error_code() {
  return me.own_errors.empty() ? MPI_ERR_LASTCODE : std::max<int>(MPI_ERR_LASTCODE, me.own_errors.rbegin()->first);
}

int handle_failure(const call& in, MPI_Comm comm, const failure& what) {
  const communicator* of = what.in ? what.in.get() : me.communicators.find(comm);
  if (!of) of = me.communicators.find(MPI_COMM_WORLD);
  if (what.in) comm = me.communicators.handle_of(of);
  const std::string text = described(in, what.text);
  const int handler = of ? of->error_handler : MPI_ERRORS_ARE_FATAL;
  const error_handler* const own = me.error_handlers.find(handler);
  if (handler == MPI_ERRORS_ARE_FATAL || !own) {
    const auto named = me.own_errors.find(what.error_class);
    me.of->end(me.of->rank, named == me.own_errors.end() ? what.error_class : named->second.error_class, text.c_str());
  }
  int code = what.error_class;
  if (own && own->function) own->function(&comm, &code);
  return what.error_class;
}

int handle_exception(const call& in, MPI_Comm comm) {
  try {
    throw;
  } catch (const failure& e) {
    return handle_failure(in, comm, e);
  } catch (const std::bad_alloc&) {
    return handle_failure(in, comm, {MPI_ERR_NO_MEM, "there is no memory for it"});
  } catch (const maslin::error& e) {
    if (me.of->host || !job_has_failed()) return handle_failure(in, comm, {class_of(e), e.what()});
    me.of->end(me.of->rank, MPI_ERR_OTHER, without_preface(e.what()).c_str());
  }
  return MPI_ERR_INTERN;
}

void end_since_not_between(const call& in) {
  const char* const why = me.of->host                      ? "functions that a host runs cannot call it"
                          : stage_reached == stage::behind ? "called after MPI_Finalize"
                                                           : "called before MPI_Init";
  me.of->end(me.of->rank, MPI_ERR_OTHER, described(in, why).c_str());
}

}  // namespace mpi

using namespace mpi;

MASLIN_MPI_DEFINE(Comm_create_errhandler, (MPI_Comm_errhandler_function * function, MPI_Errhandler* handler)) {
  return carry_out(MASLIN_MPI_CALL(Comm_create_errhandler), MPI_COMM_WORLD,
                   [&] { *handler = me.error_handlers.add(std::make_shared<error_handler>(error_handler{function})); });
}
MASLIN_MPI_DEFINE(Comm_set_errhandler, (MPI_Comm comm, MPI_Errhandler handler)) {
  return carry_out(MASLIN_MPI_CALL(Comm_set_errhandler), comm, [&] {
    if (!me.error_handlers.find(handler)) throw failure{MPI_ERR_ARG, "there is no such error handler"};
    communicator_of(comm).error_handler = handler;
  });
}
MASLIN_MPI_DEFINE(Comm_get_errhandler, (MPI_Comm comm, MPI_Errhandler* handler)) {
  return carry_out(MASLIN_MPI_CALL(Comm_get_errhandler), comm, [&] { *handler = communicator_of(comm).error_handler; });
}
MASLIN_MPI_DEFINE(Comm_call_errhandler, (MPI_Comm comm, int code)) {
  const call in = MASLIN_MPI_CALL(Comm_call_errhandler);
  return carry_out(in, comm, [&] {
    communicator_of(comm);
    handle_failure(in, comm, {code, "the program called the error handler with code " + std::to_string(code)});
  });
}
MASLIN_MPI_DEFINE(Errhandler_create, (MPI_Handler_function * function, MPI_Errhandler* handler)) {
  return PMPI_Comm_create_errhandler(function, handler);
}
MASLIN_MPI_DEFINE(Errhandler_set, (MPI_Comm comm, MPI_Errhandler handler)) {
  return PMPI_Comm_set_errhandler(comm, handler);
}
MASLIN_MPI_DEFINE(Errhandler_get, (MPI_Comm comm, MPI_Errhandler* handler)) {
  return PMPI_Comm_get_errhandler(comm, handler);
}
MASLIN_MPI_DEFINE(Errhandler_free, (MPI_Errhandler * handler)) {
  return carry_out(MASLIN_MPI_CALL(Errhandler_free), MPI_COMM_WORLD, [&] {
    expect_pointer(handler, "the handler");
    *handler = MPI_ERRHANDLER_NULL;  // a communicator may have it still
  });
}
MASLIN_MPI_DEFINE(Add_error_class, (int* error_class)) {
  return carry_out(MASLIN_MPI_CALL(Add_error_class), MPI_COMM_WORLD, [&] {
    *error_class = last_error_code() + 1;
    me.own_errors[*error_class] = {*error_class, ""};
  });
}
MASLIN_MPI_DEFINE(Add_error_code, (int error_class, int* code)) {
  return carry_out(MASLIN_MPI_CALL(Add_error_code), MPI_COMM_WORLD, [&] {
    if (error_class < 0 || error_class > last_error_code())
      throw failure{MPI_ERR_ARG, "there is no class of errors " + std::to_string(error_class)};
    *code = last_error_code() + 1;
    me.own_errors[*code] = {error_class, ""};
  });
}
MASLIN_MPI_DEFINE(Add_error_string, (int code, const char* text)) {
  return carry_out(MASLIN_MPI_CALL(Add_error_string), MPI_COMM_WORLD, [&] {
    const auto own = me.own_errors.find(code);
    if (own == me.own_errors.end()) throw failure{MPI_ERR_ARG, "the program made no error " + std::to_string(code)};
    own->second.text = text;
  });
}
MASLIN_MPI_DEFINE(Error_class, (int code, int* error_class)) {
  const called turn;
  const auto own = me.own_errors.find(code);
  *error_class = own == me.own_errors.end() ? code : own->second.error_class;
  return MPI_SUCCESS;
}
MASLIN_MPI_DEFINE(Error_string, (int code, char* text, int* length)) {
  static constexpr const char* texts[] = {"no error",
                                          "MPI_ERR_BUFFER: a buffer is invalid or too small",
                                          "MPI_ERR_COUNT: a count is invalid",
                                          "MPI_ERR_TYPE: a datatype is invalid",
                                          "MPI_ERR_TAG: a tag is invalid",
                                          "MPI_ERR_COMM: a communicator is invalid",
                                          "MPI_ERR_RANK: a rank is invalid",
                                          "MPI_ERR_REQUEST: a request is invalid",
                                          "MPI_ERR_ROOT: a root is invalid",
                                          "MPI_ERR_GROUP: a group is invalid",
                                          "MPI_ERR_OP: an operation is invalid, or does not fit the datatype",
                                          "MPI_ERR_TOPOLOGY: there is no such topology",
                                          "MPI_ERR_DIMS: dimensions are invalid",
                                          "MPI_ERR_ARG: an argument is invalid",
                                          "MPI_ERR_UNKNOWN: an error that is not known",
                                          "MPI_ERR_TRUNCATE: a message is longer than the room for it",
                                          "MPI_ERR_OTHER: another error",
                                          "MPI_ERR_INTERN: an error in MPI itself",
                                          "MPI_ERR_PENDING: a request is not complete",
                                          "MPI_ERR_IN_STATUS: the statuses say what is wrong",
                                          "MPI_ERR_NO_MEM: there is no memory",
                                          "MPI_ERR_KEYVAL: a key is invalid",
                                          "MPI_ERR_INFO: an info object is invalid",
                                          "MPI_ERR_INFO_KEY: a key is longer than MPI_MAX_INFO_KEY",
                                          "MPI_ERR_INFO_VALUE: a value is longer than MPI_MAX_INFO_VAL",
                                          "MPI_ERR_INFO_NOKEY: there is no such key",
                                          "MPI_ERR_UNSUPPORTED_OPERATION: this is not supported",
                                          "MPI_ERR_CONVERSION: a number has no place in another representation"};
  const called turn;
  const bool known = code >= 0 && code < MPI_ERR_LASTCODE;
  const auto own = me.own_errors.find(code);
  std::string said = own != me.own_errors.end() ? own->second.text
                     : known                    ? texts[code]
                                                : "there is no error " + std::to_string(code);
  said.resize(std::min<std::size_t>(said.size(), MPI_MAX_ERROR_STRING - 1));
  std::memcpy(text, said.c_str(), said.size() + 1);
  *length = static_cast<int>(said.size());
  return MPI_SUCCESS;
}
