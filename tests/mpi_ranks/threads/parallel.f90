! The threads of a parallel region call MPI, as threads.c does.
program parallel
  use mpi
  use omp_lib
  implicit none
  integer, parameter :: threads = 3, rounds = 50, n = 200
  integer :: given, rank, ranks, problem, right, round, mine, other, status(MPI_STATUS_SIZE)
  integer :: sent(n), got(n)
  call mpi_init_thread(MPI_THREAD_MULTIPLE, given, problem)
  call mpi_comm_rank(MPI_COMM_WORLD, rank, problem)
  call mpi_comm_size(MPI_COMM_WORLD, ranks, problem)
  if (given /= MPI_THREAD_MULTIPLE) call mpi_abort(MPI_COMM_WORLD, 70, problem)
  right = 0
  !$omp parallel num_threads(threads) private(round, mine, other, status, sent, got, problem) reduction(+ : right)
  mine = omp_get_thread_num()
  other = mod(mine + 1, threads)
  do round = 1, rounds
    sent = 1000 * rank + 10 * round + mine
    call mpi_sendrecv(sent, n, MPI_INTEGER, mod(rank + 1, ranks), other, got, n, MPI_INTEGER, &
                      mod(rank + ranks - 1, ranks), mine, MPI_COMM_WORLD, status, problem)
    if (all(got == 1000 * mod(rank + ranks - 1, ranks) + 10 * round + mod(mine + threads - 1, threads))) right = right + 1
  end do
  !$omp end parallel
  if (right /= threads * rounds) call mpi_abort(MPI_COMM_WORLD, 71, problem)
  call mpi_barrier(MPI_COMM_WORLD, problem)
  if (rank == 0) print '(a)', 'all is right'
  call mpi_finalize(problem)
end program
