C     Every rank has units of its own: each opens unit 20.
      program units
      implicit none
      include 'mpif.h'
      integer rank, ranks, ierror, i, value, total
      character*32 name, read
      logical is open

      call MPI_INIT(ierror)
      call MPI_COMM_RANK(MPI_COMM_WORLD, rank, ierror)
      call MPI_COMM_SIZE(MPI_COMM_WORLD, ranks, ierror)
      inquire(unit=20, opened=is open)
      call expect(.not. is open, 'unit 20 is free')
      call MPI_BARRIER(MPI_COMM_WORLD, ierror)
      write(name, '(a, i0)') 'units.', rank
      open(unit=20, file=name, status='replace', action='readwrite')
      do 10 i = 1, 5
        call MPI_BARRIER(MPI_COMM_WORLD, ierror)
        write(20, *) 100 * rank + i
   10 continue
      call MPI_BARRIER(MPI_COMM_WORLD, ierror)
      inquire(unit=20, name=read)
      call expect(index(read, trim(name)) .gt. 0, 'the name of unit 20')
      rewind(20)
      total = 0
      do 20 i = 1, 5
        read(20, *) value
        call expect(value .eq. 100 * rank + i, 'a line of unit 20')
        call MPI_BARRIER(MPI_COMM_WORLD, ierror)
        total = total + value
   20 continue
      close(20, status='delete')
      inquire(file=name, exist=is open)
      call expect(.not. is open, 'the file is deleted')
      print *, 'rank', rank, 'read', total
      write(*, '(a, i0)') 'formatted ', rank
      call MPI_FINALIZE(ierror)
      end
