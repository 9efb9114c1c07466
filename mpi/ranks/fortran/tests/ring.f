C     A value goes around the ring. Every rank has common blocks, and
C     saved and initialised variables of its own.
      program ring
      implicit none
      include 'mpif.h'
      integer rank, ranks, next, before
      common /place/ rank, ranks, next, before
      integer ierror, value, status(MPI_STATUS_SIZE), count, i
      double precision row(4), received(4), start
      character*12 word
      logical truth(2)
      integer calls
      external calls

      call MPI_INIT(ierror)
      call expect(ierror .eq. MPI_SUCCESS, 'MPI_INIT')
      start = MPI_WTIME()
      call MPI_COMM_RANK(MPI_COMM_WORLD, rank, ierror)
      call MPI_COMM_SIZE(MPI_COMM_WORLD, ranks, ierror)
      next = mod(rank + 1, ranks)
      before = mod(rank + ranks - 1, ranks)

      if (rank .eq. 0) then
        value = 100
        call MPI_SEND(value, 1, MPI_INTEGER, next, 7, MPI_COMM_WORLD,
     &                ierror)
        call MPI_RECV(value, 1, MPI_INTEGER, before, 7,
     &                MPI_COMM_WORLD, status, ierror)
      else
        call MPI_RECV(value, 1, MPI_INTEGER, before, 7,
     &                MPI_COMM_WORLD, status, ierror)
        value = value + rank
        call MPI_SEND(value, 1, MPI_INTEGER, next, 7, MPI_COMM_WORLD,
     &                ierror)
      end if
      call expect(status(MPI_SOURCE) .eq. before, 'MPI_SOURCE')
      call expect(status(MPI_TAG) .eq. 7, 'MPI_TAG')
      call MPI_GET_COUNT(status, MPI_INTEGER, count, ierror)
      call expect(count .eq. 1, 'MPI_GET_COUNT')
      if (rank .eq. 0) value = value - ranks * (ranks - 1) / 2 + rank
      if (rank .eq. 0) call expect(value .eq. 100, 'around the ring')
      print '(a, i0, a, i0)', 'rank ', rank, ' has ', value

      call neighbours
      do 10 i = 1, 4
        row(i) = rank + i / 10d0
   10 continue
      call MPI_SENDRECV(row, 4, MPI_DOUBLE_PRECISION, next, 1, received,
     &                  4, MPI_DOUBLE_PRECISION, before, 1,
     &                  MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
      call expect(received(3) .eq. before + 3 / 10d0, 'MPI_SENDRECV')
      call MPI_SENDRECV_REPLACE(received, 4, MPI_DOUBLE_PRECISION, next,
     &                  1, before, 1, MPI_COMM_WORLD, status, ierror)
      call expect(received(1) .eq. mod(before + ranks - 1, ranks)
     &            + 1 / 10d0, 'MPI_SENDRECV_REPLACE')

      word = ' '
      truth(1) = .false.
      truth(2) = .false.
      if (rank .eq. 0) word = 'from rank 0'
      if (rank .eq. 0) truth(2) = .true.
      call MPI_BCAST(word, len(word), MPI_CHARACTER, 0, MPI_COMM_WORLD,
     &               ierror)
      call MPI_BCAST(truth, 2, MPI_LOGICAL, 0, MPI_COMM_WORLD, ierror)
      call expect(word .eq. 'from rank 0', 'MPI_CHARACTER')
      call expect(truth(2) .and. .not. truth(1), 'MPI_LOGICAL')

      do 20 i = 1, rank + 1
        count = calls()
        call MPI_BARRIER(MPI_COMM_WORLD, ierror)
   20 continue
      do 30 i = rank + 2, ranks
        call MPI_BARRIER(MPI_COMM_WORLD, ierror)
   30 continue
      call expect(count .eq. rank + 1, 'a saved variable')
      print *, 'rank', rank, 'counted', count
      call expect(MPI_WTIME() .ge. start .and. MPI_WTICK() .gt. 0d0,
     &            'the clock')
      call MPI_FINALIZE(ierror)
      end

C     What the common blocks have while other ranks run.
      subroutine neighbours
      implicit none
      include 'mpif.h'
      integer rank, ranks, next, before
      common /place/ rank, ranks, next, before
      integer given, own, ierror, truly
      common /initialised/ given, own
      call expect(given .eq. 11 .and. own .eq. 22, 'block data')
      own = rank
      call MPI_BARRIER(MPI_COMM_WORLD, ierror)
      call expect(own .eq. rank, 'a common block')
      call MPI_COMM_RANK(MPI_COMM_WORLD, truly, ierror)
      call expect(truly .eq. rank, 'the rank in a common block')
      call expect(next .eq. mod(rank + 1, ranks), 'the next rank')
      end

      integer function calls()
      implicit none
      integer before
      save before
      data before /0/
      before = before + 1
      calls = before
      end

      block data
      implicit none
      integer given, own
      common /initialised/ given, own
      data given, own /11, 22/
      end
