C     Rank 0 receives what comes, asks what it was, and waits for
C     requests in every way.
      program sources
      implicit none
      include 'mpif.h'
      integer most
      parameter (most = 64)
      integer rank, ranks, others, ierror, i, j, index, done, count
      integer status(MPI_STATUS_SIZE), statuses(MPI_STATUS_SIZE, most)
      integer requests(most), indices(most), values(most)
      real reals(10)
      logical flag, came(most)

      call MPI_INIT(ierror)
      call MPI_COMM_RANK(MPI_COMM_WORLD, rank, ierror)
      call MPI_COMM_SIZE(MPI_COMM_WORLD, ranks, ierror)
      others = ranks - 1
      do 10 i = 1, 10
        reals(i) = rank * 100 + i
   10 continue

C     Rank r sends r reals with tag 10 * r.
      if (rank .ne. 0) then
        call MPI_SEND(reals, min(rank, 10), MPI_REAL, 0, 10 * rank,
     &                MPI_COMM_WORLD, ierror)
      else
        do 15 i = 1, others
          came(i) = .false.
   15   continue
        do 20 i = 1, others
          call MPI_PROBE(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
     &                   status, ierror)
          j = status(MPI_SOURCE)
          call expect(status(MPI_TAG) .eq. 10 * j, 'the tag')
          call MPI_GET_COUNT(status, MPI_REAL, count, ierror)
          call expect(count .eq. min(j, 10), 'the probed count')
          call MPI_RECV(reals, 10, MPI_REAL, j, MPI_ANY_TAG,
     &                  MPI_COMM_WORLD, status, ierror)
          call expect(status(MPI_SOURCE) .eq. j, 'the source')
          call expect(reals(1) .eq. j * 100 + 1, 'the first real')
          call expect(.not. came(j), 'a second message')
          came(j) = .true.
   20   continue
        print '(a, i0, a)', 'rank 0 received from ', others, ' others'
      end if
      call MPI_BARRIER(MPI_COMM_WORLD, ierror)
      call MPI_IPROBE(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
     &                flag, MPI_STATUS_IGNORE, ierror)
      call expect(.not. flag, 'MPI_IPROBE')
      call MPI_BARRIER(MPI_COMM_WORLD, ierror)

C     Waitany: the first request is number 1.
      if (rank .eq. 0) then
        do 30 i = 1, others
          call MPI_IRECV(values(i), 1, MPI_INTEGER, i, 1,
     &                   MPI_COMM_WORLD, requests(i), ierror)
          came(i) = .false.
   30   continue
        do 40 i = 1, others
          call MPI_WAITANY(others, requests, index, status, ierror)
          call expect(index .ge. 1 .and. index .le. others, 'the index')
          call expect(.not. came(index), 'an index twice')
          came(index) = .true.
          call expect(requests(index) .eq. MPI_REQUEST_NULL, 'null')
          call expect(status(MPI_SOURCE) .eq. index, 'its source')
          call expect(values(index) .eq. 5 * index, 'its value')
   40   continue
        call MPI_WAITANY(others, requests, index, status, ierror)
        call expect(index .eq. MPI_UNDEFINED, 'no request is left')
        call MPI_TESTANY(others, requests, index, flag, status, ierror)
        call expect(flag .and. index .eq. MPI_UNDEFINED, 'none to test')
        print '(a, i0, a)', 'rank 0 waited for any of ', others
      else
        call MPI_SSEND(5 * rank, 1, MPI_INTEGER, 0, 1, MPI_COMM_WORLD,
     &                 ierror)
      end if

C     Waitsome and Testsome.
      if (rank .eq. 0) then
        do 50 i = 1, others
          call MPI_IRECV(values(i), 1, MPI_INTEGER, i, 2,
     &                   MPI_COMM_WORLD, requests(i), ierror)
          came(i) = .false.
   50   continue
        i = 0
   60   if (mod(i, 2) .eq. 0) then
          call MPI_WAITSOME(others, requests, done, indices, statuses,
     &                      ierror)
          call expect(done .ge. 1, 'some are done')
        else
          call MPI_TESTSOME(others, requests, done, indices, statuses,
     &                      ierror)
        end if
        do 70 j = 1, done
          index = indices(j)
          call expect(index .ge. 1 .and. index .le. others, 'of some')
          call expect(.not. came(index), 'of some twice')
          came(index) = .true.
          call expect(statuses(MPI_SOURCE, j) .eq. index, 'some source')
          call expect(values(index) .eq. 6 * index, 'some value')
   70   continue
        i = i + done
        if (i .lt. others) goto 60
        call MPI_WAITSOME(others, requests, done, indices,
     &                    MPI_STATUSES_IGNORE, ierror)
        call expect(done .eq. MPI_UNDEFINED, 'none of some is left')
        print '(a, i0, a)', 'rank 0 waited for some of ', others
      else
        call MPI_SEND(6 * rank, 1, MPI_INTEGER, 0, 2, MPI_COMM_WORLD,
     &                ierror)
      end if

C     Nobody: the status is empty.
      call MPI_RECV(values, 1, MPI_INTEGER, MPI_PROC_NULL, MPI_ANY_TAG,
     &              MPI_COMM_WORLD, status, ierror)
      call expect(status(MPI_SOURCE) .eq. MPI_PROC_NULL, 'nobody')
      call MPI_GET_COUNT(status, MPI_INTEGER, count, ierror)
      call expect(count .eq. 0, 'nothing')
      call MPI_FINALIZE(ierror)
      end
