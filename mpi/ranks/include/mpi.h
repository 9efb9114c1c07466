/* MPI for ranks that are fibers: programs that are built with maslin-mpicc and started with maslin-mpirun.
   Semantics are those of the MPI standard; docs/mpi.md names what is missing. Functions that are missing are not
   declared here, so a program that needs one does not build. */
#ifndef MASLIN_MPI_H
#define MASLIN_MPI_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MPI_VERSION 3
#define MPI_SUBVERSION 1
#define MASLIN_MPI 1

/* Handles are numbers, in Fortran and in C alike; 0 is none. */
typedef int MPI_Comm;
typedef int MPI_Datatype;
typedef int MPI_Errhandler;
typedef int MPI_Group;
typedef int MPI_Info;
typedef int MPI_Message;
typedef int MPI_Op;
typedef int MPI_Request;
typedef int MPI_Fint;
typedef ptrdiff_t MPI_Aint;
typedef long long MPI_Count;
typedef long long MPI_Offset;

typedef struct MPI_Status {
  int MPI_SOURCE;
  int MPI_TAG;
  int MPI_ERROR;
  /* Read with MPI_Test_cancelled and MPI_Get_count. */
  int is_cancelled;
  unsigned bytes_low;
  int bytes_high;
} MPI_Status;

typedef void MPI_User_function(void* in, void* inout, int* count, MPI_Datatype* type);
typedef void MPI_Comm_errhandler_function(MPI_Comm* comm, int* code, ...);
typedef int MPI_Comm_copy_attr_function(MPI_Comm comm, int key, void* extra, void* from, void* to, int* copied);
typedef int MPI_Comm_delete_attr_function(MPI_Comm comm, int key, void* value, void* extra);
typedef int MPI_Type_copy_attr_function(MPI_Datatype type, int key, void* extra, void* from, void* to, int* copied);
typedef int MPI_Type_delete_attr_function(MPI_Datatype type, int key, void* value, void* extra);
typedef MPI_Comm_errhandler_function MPI_Comm_errhandler_fn;
typedef MPI_Comm_errhandler_function MPI_Handler_function;
typedef MPI_Comm_copy_attr_function MPI_Copy_function;
typedef MPI_Comm_delete_attr_function MPI_Delete_function;

#define MPI_COMM_NULL 0
#define MPI_COMM_WORLD 1
#define MPI_COMM_SELF 2
#define MPI_GROUP_NULL 0
#define MPI_GROUP_EMPTY 1
#define MPI_REQUEST_NULL 0
#define MPI_MESSAGE_NULL 0
#define MPI_MESSAGE_NO_PROC (-1)
#define MPI_INFO_NULL 0
#define MPI_INFO_ENV 1
#define MPI_ERRHANDLER_NULL 0
#define MPI_ERRORS_ARE_FATAL 1
#define MPI_ERRORS_RETURN 2

#define MPI_IN_PLACE ((void*)-1)
#define MPI_BOTTOM ((void*)0)
#define MPI_STATUS_IGNORE ((MPI_Status*)0)
#define MPI_STATUSES_IGNORE ((MPI_Status*)0)
#define MPI_ERRCODES_IGNORE ((int*)0)
#define MPI_ARGV_NULL ((char**)0)
#define MPI_UNWEIGHTED ((int*)-2)
#define MPI_WEIGHTS_EMPTY ((int*)-1)

#define MPI_ANY_SOURCE (-1)
#define MPI_ANY_TAG (-1)
#define MPI_PROC_NULL (-2)
#define MPI_ROOT (-3)
#define MPI_UNDEFINED (-32766)
#define MPI_KEYVAL_INVALID (-1)
#define MPI_BSEND_OVERHEAD 0
#define MPI_DISTRIBUTE_DFLT_DARG (-1)

#define MPI_MAX_PROCESSOR_NAME 256
#define MPI_MAX_ERROR_STRING 1024
#define MPI_MAX_OBJECT_NAME 128
#define MPI_MAX_LIBRARY_VERSION_STRING 256
#define MPI_MAX_INFO_KEY 256
#define MPI_MAX_INFO_VAL 1024

enum { MPI_IDENT, MPI_CONGRUENT, MPI_SIMILAR, MPI_UNEQUAL };
enum { MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED, MPI_THREAD_MULTIPLE };
enum { MPI_GRAPH = 1, MPI_CART, MPI_DIST_GRAPH };
enum { MPI_ORDER_C = 56, MPI_ORDER_FORTRAN };
enum { MPI_DISTRIBUTE_BLOCK = 1, MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_NONE };
enum { MPI_TYPECLASS_REAL = 1, MPI_TYPECLASS_INTEGER, MPI_TYPECLASS_COMPLEX };
enum { MPI_COMM_TYPE_SHARED = 1, MPI_COMM_MEM_DOMAIN };
enum { MPI_TAG_UB = 1, MPI_HOST, MPI_IO, MPI_WTIME_IS_GLOBAL, MPI_UNIVERSE_SIZE, MPI_APPNUM, MPI_LASTUSEDCODE };

enum {
  MPI_SUCCESS,
  MPI_ERR_BUFFER,
  MPI_ERR_COUNT,
  MPI_ERR_TYPE,
  MPI_ERR_TAG,
  MPI_ERR_COMM,
  MPI_ERR_RANK,
  MPI_ERR_REQUEST,
  MPI_ERR_ROOT,
  MPI_ERR_GROUP,
  MPI_ERR_OP,
  MPI_ERR_TOPOLOGY,
  MPI_ERR_DIMS,
  MPI_ERR_ARG,
  MPI_ERR_UNKNOWN,
  MPI_ERR_TRUNCATE,
  MPI_ERR_OTHER,
  MPI_ERR_INTERN,
  MPI_ERR_PENDING,
  MPI_ERR_IN_STATUS,
  MPI_ERR_NO_MEM,
  MPI_ERR_KEYVAL,
  MPI_ERR_INFO,
  MPI_ERR_INFO_KEY,
  MPI_ERR_INFO_VALUE,
  MPI_ERR_INFO_NOKEY,
  MPI_ERR_UNSUPPORTED_OPERATION,
  MPI_ERR_CONVERSION,
  MPI_ERR_LASTCODE
};

/* In the order of library/datatype.cpp. */
enum {
  MPI_DATATYPE_NULL,
  MPI_CHAR,
  MPI_SIGNED_CHAR,
  MPI_UNSIGNED_CHAR,
  MPI_BYTE,
  MPI_PACKED,
  MPI_SHORT,
  MPI_UNSIGNED_SHORT,
  MPI_INT,
  MPI_UNSIGNED,
  MPI_LONG,
  MPI_UNSIGNED_LONG,
  MPI_LONG_LONG_INT,
  MPI_UNSIGNED_LONG_LONG,
  MPI_FLOAT,
  MPI_DOUBLE,
  MPI_LONG_DOUBLE,
  MPI_WCHAR,
  MPI_C_BOOL,
  MPI_INT8_T,
  MPI_INT16_T,
  MPI_INT32_T,
  MPI_INT64_T,
  MPI_UINT8_T,
  MPI_UINT16_T,
  MPI_UINT32_T,
  MPI_UINT64_T,
  MPI_AINT,
  MPI_COUNT,
  MPI_OFFSET,
  MPI_C_COMPLEX,
  MPI_C_DOUBLE_COMPLEX,
  MPI_C_LONG_DOUBLE_COMPLEX,
  MPI_FLOAT_INT,
  MPI_DOUBLE_INT,
  MPI_LONG_INT,
  MPI_SHORT_INT,
  MPI_2INT,
  MPI_LONG_DOUBLE_INT,
  MPI_CHARACTER,
  MPI_LOGICAL,
  MPI_INTEGER,
  MPI_INTEGER1,
  MPI_INTEGER2,
  MPI_INTEGER4,
  MPI_INTEGER8,
  MPI_REAL,
  MPI_REAL4,
  MPI_REAL8,
  MPI_REAL16,
  MPI_DOUBLE_PRECISION,
  MPI_COMPLEX,
  MPI_COMPLEX8,
  MPI_COMPLEX16,
  MPI_DOUBLE_COMPLEX,
  MPI_2INTEGER,
  MPI_2REAL,
  MPI_2DOUBLE_PRECISION,
  MPI_CXX_BOOL,
  MPI_CXX_FLOAT_COMPLEX,
  MPI_CXX_DOUBLE_COMPLEX,
  MPI_CXX_LONG_DOUBLE_COMPLEX,
  MPI_INTEGER16,
  MPI_COMPLEX32
};
#define MPI_LONG_LONG MPI_LONG_LONG_INT
#define MPI_C_FLOAT_COMPLEX MPI_C_COMPLEX

/* In the order of library/operation.cpp. */
enum {
  MPI_OP_NULL,
  MPI_MAX,
  MPI_MIN,
  MPI_SUM,
  MPI_PROD,
  MPI_LAND,
  MPI_BAND,
  MPI_LOR,
  MPI_BOR,
  MPI_LXOR,
  MPI_BXOR,
  MPI_MAXLOC,
  MPI_MINLOC,
  MPI_REPLACE,
  MPI_NO_OP
};

enum {
  MPI_COMBINER_NAMED = 1,
  MPI_COMBINER_DUP,
  MPI_COMBINER_CONTIGUOUS,
  MPI_COMBINER_VECTOR,
  MPI_COMBINER_HVECTOR,
  MPI_COMBINER_INDEXED,
  MPI_COMBINER_HINDEXED,
  MPI_COMBINER_INDEXED_BLOCK,
  MPI_COMBINER_HINDEXED_BLOCK,
  MPI_COMBINER_STRUCT,
  MPI_COMBINER_SUBARRAY,
  MPI_COMBINER_RESIZED,
  MPI_COMBINER_DARRAY,
  MPI_COMBINER_F90_REAL,
  MPI_COMBINER_F90_COMPLEX,
  MPI_COMBINER_F90_INTEGER
};

/* A tool may define MPI_X and call PMPI_X. */
#define MASLIN_MPI_FUNCTION(name, parameters) \
  int MPI_##name parameters;                  \
  int PMPI_##name parameters;
#include "maslin_mpi_functions.h"
#undef MASLIN_MPI_FUNCTION
double MPI_Wtime(void);
double PMPI_Wtime(void);
double MPI_Wtick(void);
double PMPI_Wtick(void);
MPI_Aint MPI_Aint_add(MPI_Aint base, MPI_Aint displacement);
MPI_Aint MPI_Aint_diff(MPI_Aint one, MPI_Aint other);

/* Not of the standard: functions that a host runs for the ranks. A host has a thread, and a copy of the program for
   itself; it runs one function at a time. The program defines one of the first two, or both. They offer the host's
   functions: MPIX_Host_of_process in each process, MPIX_Host_of_job in the first alone. docs/mpi.md has an example.

   `given`: what the caller gives, so many bytes. The function writes its result, of `room` bytes at most, and returns
   how many these are, or a negative number: an error. */
#ifdef __cplusplus
} /* extern "C" */
namespace maslin {
class host;
}
extern "C" {
typedef maslin::host* MPIX_Host; /* maslin_host.hpp says more */
#else
typedef struct MPIX_Host_of_ranks* MPIX_Host;
#endif
typedef int MPIX_Host_function(const void* given, int bytes, void* result, int room);
#pragma GCC visibility push(default)
void MPIX_Host_of_process(MPIX_Host host);
void MPIX_Host_of_job(MPIX_Host host);
#pragma GCC visibility pop
/* Ranks may call the function by that name from now on. */
int MPIX_Host_offer(MPIX_Host host, const char* name, MPIX_Host_function* function);
/* Calls a function of the caller's process, or of the job if that has none; of the job if the caller is a function of a
   process' host. Gives its result, and of how many bytes that is if `result_bytes` is not null. An error is told to the
   error handler of MPI_COMM_WORLD if a rank calls. MPI_Error_string has its words until the next one. */
int MPIX_Host_call(const char* name, const void* given, int bytes, void* result, int room, int* result_bytes);

#define MPI_COMM_NULL_COPY_FN ((MPI_Comm_copy_attr_function*)0)
#define MPI_COMM_NULL_DELETE_FN ((MPI_Comm_delete_attr_function*)0)
#define MPI_TYPE_NULL_COPY_FN ((MPI_Type_copy_attr_function*)0)
#define MPI_TYPE_NULL_DELETE_FN ((MPI_Type_delete_attr_function*)0)
#define MPI_TYPE_DUP_FN MPI_COMM_DUP_FN
#define MPI_NULL_COPY_FN MPI_COMM_NULL_COPY_FN
#define MPI_NULL_DELETE_FN MPI_COMM_NULL_DELETE_FN
int MPI_COMM_DUP_FN(MPI_Comm comm, int key, void* extra, void* from, void* to, int* copied);
#define MPI_DUP_FN MPI_COMM_DUP_FN

#define MPI_Comm_c2f(comm) (comm)
#define MPI_Comm_f2c(comm) (comm)
#define MPI_Type_c2f(type) (type)
#define MPI_Type_f2c(type) (type)
#define MPI_Group_c2f(group) (group)
#define MPI_Group_f2c(group) (group)
#define MPI_Op_c2f(op) (op)
#define MPI_Op_f2c(op) (op)
#define MPI_Request_c2f(request) (request)
#define MPI_Request_f2c(request) (request)
#define MPI_Message_c2f(message) (message)
#define MPI_Message_f2c(message) (message)
#define MPI_Info_c2f(info) (info)
#define MPI_Info_f2c(info) (info)
#define MPI_Errhandler_c2f(handler) (handler)
#define MPI_Errhandler_f2c(handler) (handler)
#define PMPI_Comm_c2f(comm) (comm)
#define PMPI_Comm_f2c(comm) (comm)
#define PMPI_Type_c2f(type) (type)
#define PMPI_Type_f2c(type) (type)
#define PMPI_Group_c2f(group) (group)
#define PMPI_Group_f2c(group) (group)
#define PMPI_Op_c2f(op) (op)
#define PMPI_Op_f2c(op) (op)
#define PMPI_Request_c2f(request) (request)
#define PMPI_Request_f2c(request) (request)
#define PMPI_Message_c2f(message) (message)
#define PMPI_Message_f2c(message) (message)
#define PMPI_Info_c2f(info) (info)
#define PMPI_Info_f2c(info) (info)
#define PMPI_Errhandler_c2f(handler) (handler)
#define PMPI_Errhandler_f2c(handler) (handler)

#ifdef __cplusplus
}
#endif

#endif
