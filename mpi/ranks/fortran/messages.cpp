// Messages, and requests for them.

#include "binding.hpp"

namespace {

/// In Fortran the first request is number 1.
void count_from_one(int& index) {
  if (index != MPI_UNDEFINED) ++index;
}

int waitany(int count, MPI_Request* requests, int* index, MPI_Status* status) {
  *index = MPI_UNDEFINED;
  const int code = PMPI_Waitany(count, requests, index, status);
  count_from_one(*index);
  return code;
}

int testany(int count, MPI_Request* requests, int* index, int* flag, MPI_Status* status) {
  *index = MPI_UNDEFINED;
  const int code = PMPI_Testany(count, requests, index, flag, status);
  count_from_one(*index);
  return code;
}

/// For MPI_Waitsome and MPI_Testsome.
template <auto some>
int complete_some(int count, MPI_Request* requests, int* done, int* indices, MPI_Status* statuses) {
  *done = 0;
  const int code = some(count, requests, done, indices, statuses);
  for (int i = 0; i < *done; ++i) count_from_one(indices[i]);  // MPI_UNDEFINED is less than 0
  return code;
}

/// The address is not given back: in Fortran its type would be any.
int buffer_detach(void*, int* size) {
  void* buffer = nullptr;
  return PMPI_Buffer_detach(&buffer, size);
}

}  // namespace

MASLIN_FORTRAN(PMPI_Send, send, 6)
MASLIN_FORTRAN(PMPI_Ssend, ssend, 6)
MASLIN_FORTRAN(PMPI_Rsend, rsend, 6)
MASLIN_FORTRAN(PMPI_Bsend, bsend, 6)
MASLIN_FORTRAN(PMPI_Recv, recv, 7)
MASLIN_FORTRAN(PMPI_Isend, isend, 7)
MASLIN_FORTRAN(PMPI_Issend, issend, 7)
MASLIN_FORTRAN(PMPI_Irsend, irsend, 7)
MASLIN_FORTRAN(PMPI_Ibsend, ibsend, 7)
MASLIN_FORTRAN(PMPI_Irecv, irecv, 7)
MASLIN_FORTRAN(PMPI_Sendrecv, sendrecv, 12)
MASLIN_FORTRAN(PMPI_Sendrecv_replace, sendrecv_replace, 9)
MASLIN_FORTRAN(PMPI_Isendrecv, isendrecv, 12)
MASLIN_FORTRAN(PMPI_Isendrecv_replace, isendrecv_replace, 9)

MASLIN_FORTRAN(PMPI_Probe, probe, 4)
MASLIN_FORTRAN(PMPI_Iprobe, iprobe, 5)
MASLIN_FORTRAN(PMPI_Mprobe, mprobe, 5)
MASLIN_FORTRAN(PMPI_Improbe, improbe, 6)
MASLIN_FORTRAN(PMPI_Mrecv, mrecv, 5)
MASLIN_FORTRAN(PMPI_Imrecv, imrecv, 5)

MASLIN_FORTRAN(PMPI_Send_init, send_init, 7)
MASLIN_FORTRAN(PMPI_Ssend_init, ssend_init, 7)
MASLIN_FORTRAN(PMPI_Rsend_init, rsend_init, 7)
MASLIN_FORTRAN(PMPI_Bsend_init, bsend_init, 7)
MASLIN_FORTRAN(PMPI_Recv_init, recv_init, 7)
MASLIN_FORTRAN(PMPI_Start, start, 1)
MASLIN_FORTRAN(PMPI_Startall, startall, 2)

MASLIN_FORTRAN(PMPI_Wait, wait, 2)
MASLIN_FORTRAN(PMPI_Waitall, waitall, 3)
MASLIN_FORTRAN(waitany, waitany, 4)
MASLIN_FORTRAN(complete_some<PMPI_Waitsome>, waitsome, 5)
MASLIN_FORTRAN(PMPI_Test, test, 3)
MASLIN_FORTRAN(PMPI_Testall, testall, 4)
MASLIN_FORTRAN(testany, testany, 5)
MASLIN_FORTRAN(complete_some<PMPI_Testsome>, testsome, 5)
MASLIN_FORTRAN(PMPI_Request_get_status, request_get_status, 3)
MASLIN_FORTRAN(PMPI_Request_free, request_free, 1)
MASLIN_FORTRAN(PMPI_Cancel, cancel, 1)
MASLIN_FORTRAN(PMPI_Test_cancelled, test_cancelled, 2)

MASLIN_FORTRAN(PMPI_Get_count, get_count, 3)
MASLIN_FORTRAN(PMPI_Get_elements, get_elements, 3)
MASLIN_FORTRAN(PMPI_Get_elements_x, get_elements_x, 3)
MASLIN_FORTRAN(PMPI_Status_set_elements_x, status_set_elements_x, 3)
MASLIN_FORTRAN(PMPI_Status_set_elements, status_set_elements, 3)
MASLIN_FORTRAN(PMPI_Status_set_cancelled, status_set_cancelled, 2)
MASLIN_FORTRAN(PMPI_Buffer_attach, buffer_attach, 2)
MASLIN_FORTRAN(buffer_detach, buffer_detach, 2)
