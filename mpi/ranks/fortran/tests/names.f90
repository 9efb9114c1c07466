! Attributes, names, hints and errors.
module own
  use mpi
  implicit none
  integer :: deleted = 0, handled = 0, code = 0
contains
  ! A copy is ten times as much, and one more than the extra state.
  subroutine copy(comm, keyval, extra, from, to, flag, ierror)
    integer :: comm, keyval, ierror
    integer(MPI_ADDRESS_KIND) :: extra, from, to
    logical :: flag
    to = 10 * from + extra
    flag = comm /= MPI_COMM_NULL .and. keyval /= MPI_KEYVAL_INVALID
    ierror = MPI_SUCCESS
  end subroutine copy
  subroutine remove(comm, keyval, value, extra, ierror)
    integer :: comm, keyval, ierror
    integer(MPI_ADDRESS_KIND) :: value, extra
    if (comm /= MPI_COMM_NULL .and. keyval /= MPI_KEYVAL_INVALID) deleted = deleted + int(value + extra)
    ierror = MPI_SUCCESS
  end subroutine remove
  subroutine handle(comm, error)
    integer :: comm, error
    if (comm /= MPI_COMM_NULL) handled = handled + 1
    code = error
  end subroutine handle
end module own

program names
  use own
  implicit none
  integer :: rank, ierror, length, key, old_key, comm, again, handler, old_value, class, info, i, provided
  integer(MPI_ADDRESS_KIND) :: value, large
  logical :: flag
  character(MPI_MAX_PROCESSOR_NAME) :: processor
  character(MPI_MAX_LIBRARY_VERSION_STRING) :: library
  character(MPI_MAX_OBJECT_NAME) :: name
  character(MPI_MAX_ERROR_STRING) :: message
  character(12) :: short

  call MPI_INITIALIZED(flag, ierror)
  call expect(.not. flag, 'MPI_INITIALIZED before')
  call MPI_INIT_THREAD(MPI_THREAD_FUNNELED, provided, ierror)
  call MPI_INITIALIZED(flag, ierror)
  call expect(flag .and. provided >= MPI_THREAD_SINGLE, 'MPI_INIT_THREAD')
  call MPI_FINALIZED(flag, ierror)
  call expect(.not. flag, 'MPI_FINALIZED')
  call MPI_COMM_RANK(MPI_COMM_WORLD, rank, ierror)

  ! Names end with blanks, which do not count.
  processor = repeat('x', len(processor))
  call MPI_GET_PROCESSOR_NAME(processor, length, ierror)
  call expect(length == len_trim(processor) .and. length > 0, 'MPI_GET_PROCESSOR_NAME')
  library = repeat('x', len(library))
  call MPI_GET_LIBRARY_VERSION(library, length, ierror)
  call expect(length > 0 .and. library(length + 1:) == '', 'MPI_GET_LIBRARY_VERSION')
  call MPI_COMM_GET_NAME(MPI_COMM_WORLD, name, length, ierror)
  call expect(name == 'MPI_COMM_WORLD' .and. length == 14, 'the name of MPI_COMM_WORLD')
  call MPI_COMM_DUP(MPI_COMM_WORLD, comm, ierror)
  call MPI_COMM_SET_NAME(comm, 'a copy   ', ierror)
  name = repeat('x', len(name))
  call MPI_COMM_GET_NAME(comm, name, length, ierror)
  call expect(name == 'a copy' .and. length == 6, 'MPI_COMM_GET_NAME')
  print '(a, i0, 3a)', 'rank ', rank, ' named "', name(:length), '"'

  ! What is there from the beginning: a value, not where it lies.
  call MPI_COMM_GET_ATTR(MPI_COMM_WORLD, MPI_TAG_UB, value, flag, ierror)
  call expect(flag .and. value >= 32767 .and. value <= huge(1), 'MPI_TAG_UB')
  call MPI_ATTR_GET(MPI_COMM_WORLD, MPI_TAG_UB, old_value, flag, ierror)
  call expect(flag .and. old_value == value, 'MPI_TAG_UB as MPI-1 has it')

  ! Own attributes.
  large = 2_MPI_ADDRESS_KIND**40
  call MPI_COMM_CREATE_KEYVAL(copy, remove, key, 1_MPI_ADDRESS_KIND, ierror)
  call MPI_COMM_GET_ATTR(comm, key, value, flag, ierror)
  call expect(.not. flag, 'an attribute that is not set')
  call MPI_COMM_SET_ATTR(comm, key, large, ierror)
  call MPI_COMM_GET_ATTR(comm, key, value, flag, ierror)
  call expect(flag .and. value == large, 'a large attribute')
  call expect(deleted == 0, 'nothing is deleted')
  call MPI_COMM_SET_ATTR(comm, key, 7_MPI_ADDRESS_KIND, ierror)
  deleted = 0
  call MPI_COMM_DUP(comm, again, ierror)
  call MPI_COMM_GET_ATTR(again, key, value, flag, ierror)
  call expect(flag .and. value == 71, 'a copied attribute')
  call MPI_COMM_FREE(again, ierror)
  call expect(deleted == 72, 'the attribute of a communicator that is freed')
  call MPI_COMM_DELETE_ATTR(comm, key, ierror)
  call expect(deleted == 80, 'MPI_COMM_DELETE_ATTR')
  call MPI_COMM_FREE_KEYVAL(key, ierror)
  call expect(key == MPI_KEYVAL_INVALID, 'MPI_COMM_FREE_KEYVAL')
  call MPI_COMM_CREATE_KEYVAL(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, key, 0_MPI_ADDRESS_KIND, ierror)
  call MPI_KEYVAL_CREATE(MPI_DUP_FN, MPI_NULL_DELETE_FN, old_key, 0, ierror)
  call MPI_COMM_SET_ATTR(comm, key, 5_MPI_ADDRESS_KIND, ierror)
  call MPI_ATTR_PUT(comm, old_key, -6, ierror)
  call MPI_COMM_DUP(comm, again, ierror)
  call MPI_COMM_GET_ATTR(again, key, value, flag, ierror)
  call expect(.not. flag, 'MPI_COMM_NULL_COPY_FN')
  call MPI_ATTR_GET(again, old_key, old_value, flag, ierror)
  call expect(flag .and. old_value == -6, 'MPI_DUP_FN')
  call MPI_COMM_FREE(again, ierror)
  call MPI_COMM_IDUP_WITH_INFO(comm, MPI_INFO_NULL, again, i, ierror)
  call MPI_WAIT(i, MPI_STATUS_IGNORE, ierror)
  call MPI_COMM_DISCONNECT(again, ierror)
  call expect(again == MPI_COMM_NULL, 'MPI_COMM_DISCONNECT')

  ! Hints.
  call MPI_INFO_CREATE_ENV(info, ierror)
  call MPI_INFO_FREE(info, ierror)
  call MPI_INFO_CREATE(info, ierror)
  call MPI_INFO_SET(info, '  first ', ' one two  ', ierror)
  call MPI_INFO_SET(info, 'second', '2', ierror)
  call MPI_INFO_GET_NKEYS(info, i, ierror)
  call expect(i == 2, 'MPI_INFO_GET_NKEYS')
  call MPI_INFO_GET_VALUELEN(info, 'first', length, flag, ierror)
  call expect(flag .and. length == 7, 'MPI_INFO_GET_VALUELEN')
  short = repeat('x', len(short))
  call MPI_INFO_GET(info, 'first ', len(short), short, flag, ierror)
  call expect(flag .and. short == 'one two', 'MPI_INFO_GET')
  length = 3
  call MPI_INFO_GET_STRING(info, 'first', length, short, flag, ierror)
  call expect(flag .and. length == 7 .and. short == 'one', 'MPI_INFO_GET_STRING')
  call MPI_INFO_GET_NTHKEY(info, 0, short, ierror)
  call expect(short == 'first' .or. short == 'second', 'MPI_INFO_GET_NTHKEY')
  call MPI_INFO_DELETE(info, 'first', ierror)
  call MPI_INFO_GET(info, 'first', len(short), short, flag, ierror)
  call expect(.not. flag, 'MPI_INFO_DELETE')
  call MPI_INFO_FREE(info, ierror)

  ! Errors that return, and a handler of the program.
  call MPI_COMM_SET_ERRHANDLER(comm, MPI_ERRORS_RETURN, ierror)
  call MPI_SEND(rank, 1, MPI_INTEGER, 1000000, 0, comm, ierror)
  call expect(ierror /= MPI_SUCCESS, 'an error')
  code = ierror
  call MPI_ERROR_CLASS(code, class, ierror)
  call expect(class == MPI_ERR_RANK, 'MPI_ERROR_CLASS')
  call MPI_ERROR_STRING(MPI_ERR_RANK, message, length, ierror)
  call expect(length > 0 .and. len_trim(message) == length, 'MPI_ERROR_STRING')
  call MPI_COMM_CREATE_ERRHANDLER(handle, handler, ierror)
  call MPI_COMM_SET_ERRHANDLER(comm, handler, ierror)
  call MPI_SEND(rank, 1, MPI_INTEGER, 1000000, 0, comm, ierror)
  call expect(handled == 1, 'a handler')
  call MPI_ERROR_CLASS(code, class, ierror)
  call expect(class == MPI_ERR_RANK, 'the code that a handler is given')
  call MPI_COMM_SET_ERRHANDLER(comm, MPI_ERRORS_ARE_FATAL, ierror)
  call MPI_ERRHANDLER_FREE(handler, ierror)
  call MPI_COMM_FREE(comm, ierror)
  call MPI_FINALIZE(ierror)
  call MPI_FINALIZED(flag, ierror)
  if (.not. flag) stop 71
end program names
