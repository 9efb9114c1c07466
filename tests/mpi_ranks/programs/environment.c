// What a program asks of MPI itself, before, between and after MPI_Init_thread and MPI_Finalize. Its arguments are
// "one", "two words" and ""; PLACE is "somewhere" in the environment.
#include "expect.h"

static int at_exit_calls, is_other_rank;
static void at_exit(void) { at_exit_calls += 1 + is_other_rank; }

int main(int argc, char** argv) {
  int flag = -1, provided = -1, version = 0, subversion = 0, length = 0;
  char text[MPI_MAX_LIBRARY_VERSION_STRING], name[MPI_MAX_PROCESSOR_NAME];
  atexit(at_exit);
  MPI_Initialized(&flag);
  const int was_initialized = flag;
  MPI_Finalized(&flag);
  const int was_finalized = flag;
  MPI_Get_version(&version, &subversion);
  MPI_Get_library_version(text, &length);
  MPI_Info info, of_start;
  MPI_Info_create(&info);
  MPI_Info_set(info, "key", "before");
  MPI_Info_create_env(argc, argv, &of_start);
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  is_other_rank = me > 0;
  EXPECT_EQUAL(was_initialized, 0);
  EXPECT_EQUAL(was_finalized, 0);
  EXPECT(version == MPI_VERSION && subversion == MPI_SUBVERSION);
  EXPECT_EQUAL(strlen(text), length);
  MPI_Info_get_string(info, "key", &(int){sizeof text}, text, &flag);
  EXPECT(flag && strcmp(text, "before") == 0);
  MPI_Info_free(&of_start);
  EXPECT(provided >= MPI_THREAD_SINGLE && provided <= MPI_THREAD_MULTIPLE);
  int now = -1;
  MPI_Query_thread(&now);
  EXPECT_EQUAL(now, provided);
  MPI_Is_thread_main(&flag);
  EXPECT_EQUAL(flag, 1);
  MPI_Initialized(&flag);
  EXPECT_EQUAL(flag, 1);
  MPI_Finalized(&flag);
  EXPECT_EQUAL(flag, 0);
  MPI_Get_processor_name(name, &length);
  EXPECT_EQUAL(strlen(name), length);

  EXPECT_EQUAL(argc, 4);
  EXPECT(strcmp(argv[1], "one") == 0 && strcmp(argv[2], "two words") == 0 && argv[3][0] == '\0' && !argv[4]);
  EXPECT(getenv("PLACE") && strcmp(getenv("PLACE"), "somewhere") == 0);
  argv[1][0] = (char)('a' + me % 20);  // each rank has its own
  MPI_Barrier(MPI_COMM_WORLD);
  EXPECT_EQUAL(argv[1][0], 'a' + me % 20);

  const double start = MPI_Wtime();
  double last = start;
  for (int i = 0; i < 1000; ++i) {
    const double next = MPI_Wtime();
    EXPECT(next >= last);
    last = next;
  }
  EXPECT(MPI_Wtick() > 0 && MPI_Wtick() < 1);
  EXPECT(PMPI_Wtime() >= start);

  double* memory = NULL;
  MPI_Alloc_mem(1000 * sizeof *memory, MPI_INFO_NULL, &memory);
  EXPECT(memory != NULL);
  for (int i = 0; i < 1000; ++i) memory[i] = i;
  MPI_Free_mem(memory);
  MPI_Pcontrol(1);
  MPI_Pcontrol(2, "more", 5);

  MPI_Aint at[2];
  int both[2];
  MPI_Get_address(&both[0], &at[0]);
  MPI_Get_address(&both[1], &at[1]);
  EXPECT_EQUAL(MPI_Aint_diff(at[1], at[0]), sizeof(int));
  EXPECT_EQUAL(MPI_Aint_add(at[0], sizeof(int)), at[1]);
  MPI_Status status;
  MPI_Status_set_elements(&status, MPI_INT, 7);
  MPI_Status_set_cancelled(&status, 1);
  MPI_Get_count(&status, MPI_INT, &now);
  EXPECT_EQUAL(now, 7);
  MPI_Test_cancelled(&status, &flag);
  EXPECT_EQUAL(flag, 1);

  // Output without an end of line is printed, too.
  MPI_Barrier(MPI_COMM_WORLD);
  if (me == 0) printf("all is right\n");
  if (me == ranks - 1) fprintf(stderr, "without an end");
  MPI_Finalize();
  MPI_Finalized(&flag);
  if (!flag) return 71;
  MPI_Initialized(&flag);
  if (!flag) return 72;
  MPI_Info_set(info, "key", "after");
  MPI_Info_get(info, "key", sizeof text - 1, text, &flag);
  if (!flag || strcmp(text, "after") != 0) return 74;
  MPI_Info_free(&info);
  MPI_Get_version(&version, &subversion);
  return at_exit_calls ? 73 : 0;
}
