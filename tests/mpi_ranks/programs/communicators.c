// Communicators and groups, what is kept with them, grids, hints, error handlers.
#include <unistd.h>

#include "expect.h"

static void divided(void) {
  MPI_Comm part, none, same, own;
  int rank, size, result;
  MPI_Comm_split(MPI_COMM_WORLD, me % 2, -me, &part);
  MPI_Comm_rank(part, &rank);
  MPI_Comm_size(part, &size);
  EXPECT_EQUAL(size, (ranks + 1 - me % 2) / 2);
  EXPECT_EQUAL(rank, size - 1 - me / 2);
  int sum = 0, expected = 0;
  MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, part);
  for (int r = me % 2; r < ranks; r += 2) expected += r;
  EXPECT_EQUAL(sum, expected);
  MPI_Comm_split(MPI_COMM_WORLD, me == 0 ? MPI_UNDEFINED : 3, 0, &none);
  EXPECT_EQUAL(none == MPI_COMM_NULL, me == 0);
  MPI_Comm_dup(part, &same);
  MPI_Comm_compare(part, same, &result);
  EXPECT_EQUAL(result, MPI_CONGRUENT);
  MPI_Comm_compare(part, part, &result);
  EXPECT_EQUAL(result, MPI_IDENT);
  MPI_Comm_compare(MPI_COMM_WORLD, MPI_COMM_SELF, &result);
  EXPECT_EQUAL(result, ranks == 1 ? MPI_CONGRUENT : MPI_UNEQUAL);
  // Messages of one are not received in the other.
  int in = -1, out = 1;
  MPI_Request sent[2];
  MPI_Isend(&out, 1, MPI_INT, rank, 0, part, &sent[0]);
  ++out;
  MPI_Isend(&out, 1, MPI_INT, rank, 0, same, &sent[1]);
  MPI_Recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, same, MPI_STATUS_IGNORE);
  EXPECT_EQUAL(in, 2);
  MPI_Recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, part, MPI_STATUS_IGNORE);
  MPI_Waitall(2, sent, MPI_STATUSES_IGNORE);
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &own);
  MPI_Comm_size(own, &size);
  EXPECT_EQUAL(size, ranks);
  MPI_Comm_free(&own);
  MPI_Comm_split_type(MPI_COMM_WORLD, me % 2 ? MPI_COMM_TYPE_SHARED : MPI_UNDEFINED, 0, MPI_INFO_NULL, &own);
  EXPECT_EQUAL(own == MPI_COMM_NULL, me % 2 == 0);
  if (own != MPI_COMM_NULL) MPI_Comm_free(&own);
  // Those of this process read each other's memory.
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_MEM_DOMAIN, -me, MPI_INFO_NULL, &own);
  MPI_Comm_size(own, &size);
  MPI_Comm_rank(own, &rank);
  int pids[64];
  const int* places[64];
  const int process = (int)getpid();
  EXPECT(ranks <= 64);
  MPI_Allgather(&process, 1, MPI_INT, pids, 1, MPI_INT, MPI_COMM_WORLD);
  int with_me = 0, behind = 0;
  for (int r = 0; r < ranks; ++r) {
    with_me += pids[r] == process;
    behind += pids[r] == process && r > me;
  }
  EXPECT_EQUAL(size, with_me);
  EXPECT_EQUAL(rank, behind);
  const int mine = me, *const at = &mine;
  MPI_Allgather(&at, sizeof at, MPI_BYTE, places, sizeof at, MPI_BYTE, own);
  sum = expected = 0;
  for (int r = 0; r < size; ++r) expected += *places[r];
  MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, own);
  EXPECT_EQUAL(sum, expected);
  MPI_Barrier(own);
  MPI_Comm_free(&own);
  MPI_Comm parent = MPI_COMM_WORLD;
  MPI_Comm_get_parent(&parent);
  EXPECT_EQUAL(parent, MPI_COMM_NULL);
  MPI_Comm_free(&same);
  MPI_Comm_free(&part);
  if (none != MPI_COMM_NULL) MPI_Comm_free(&none);
}

static void groups(void) {
  MPI_Group world, some, rest, both, united;
  MPI_Comm made;
  int size, rank, result, there;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  const int first[] = {ranks - 1, 0};
  MPI_Group_incl(world, ranks > 1 ? 2 : 1, first, &some);
  MPI_Group_excl(world, ranks > 1 ? 2 : 1, first, &rest);
  MPI_Group_size(some, &size);
  EXPECT_EQUAL(size, ranks > 1 ? 2 : 1);
  MPI_Group_rank(some, &rank);
  EXPECT_EQUAL(rank, me == ranks - 1 ? 0 : me == 0 ? 1 : MPI_UNDEFINED);
  MPI_Group_intersection(some, rest, &both);
  EXPECT_EQUAL(both, MPI_GROUP_EMPTY);
  MPI_Group_union(some, rest, &united);
  MPI_Group_compare(united, world, &result);
  EXPECT_EQUAL(result, ranks == 1 ? MPI_IDENT : MPI_SIMILAR);
  const int zero = 0;
  MPI_Group_translate_ranks(some, 1, &zero, world, &there);
  EXPECT_EQUAL(there, ranks - 1);
  MPI_Comm_create(MPI_COMM_WORLD, some, &made);
  EXPECT_EQUAL(made != MPI_COMM_NULL, rank != MPI_UNDEFINED);
  if (made != MPI_COMM_NULL) {
    int its;
    MPI_Comm_rank(made, &its);
    EXPECT_EQUAL(its, rank);
    MPI_Comm_free(&made);
  }
  int ranges[1][3] = {{ranks - 1, 0, -1}};
  MPI_Group reversed;
  MPI_Group_range_incl(world, 1, ranges, &reversed);
  MPI_Group_rank(reversed, &rank);
  EXPECT_EQUAL(rank, ranks - 1 - me);
  MPI_Group_free(&reversed);
  MPI_Group_free(&united);
  MPI_Group_free(&rest);
  MPI_Group_free(&some);
  MPI_Group_free(&world);
  EXPECT_EQUAL(world, MPI_GROUP_NULL);
}

static int copied, deleted;
static int on_copy(MPI_Comm comm, int key, void* extra, void* from, void* to, int* keep) {
  (void)comm, (void)key;
  ++copied;
  *(void**)to = (char*)from + *(int*)extra;
  *keep = 1;
  return MPI_SUCCESS;
}
static int on_delete(MPI_Comm comm, int key, void* value, void* extra) {
  (void)comm, (void)key, (void)value, (void)extra;
  ++deleted;
  return MPI_SUCCESS;
}

static void attributes(void) {
  MPI_Comm one, other;
  int key, flag, step = 3, *bound;
  char place[8];
  void* found;
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &bound, &flag);
  EXPECT(flag && *bound >= 32767);
  MPI_Comm_dup(MPI_COMM_WORLD, &one);
  MPI_Comm_create_keyval(on_copy, on_delete, &key, &step);
  MPI_Comm_get_attr(one, key, &found, &flag);
  EXPECT_EQUAL(flag, 0);
  MPI_Comm_set_attr(one, key, place);
  MPI_Comm_dup(one, &other);
  MPI_Comm_get_attr(other, key, &found, &flag);
  EXPECT(flag && found == (void*)(place + 3));
  MPI_Comm_delete_attr(one, key);
  MPI_Comm_free(&one);
  MPI_Comm_free(&other);
  MPI_Comm_free_keyval(&key);
  EXPECT_EQUAL(key, MPI_KEYVAL_INVALID);
  EXPECT_EQUAL(copied, 1);
  EXPECT_EQUAL(deleted, 2);
}

static void grids(void) {
  int sizes[2] = {0, 0}, periods[2] = {1, 0}, at[2], from, to, rank, dimensions, kind;
  MPI_Comm grid, row;
  MPI_Dims_create(ranks, 2, sizes);
  EXPECT_EQUAL(sizes[0] * sizes[1], ranks);
  EXPECT(sizes[0] >= sizes[1]);
  int three[3] = {0, 0, 0}, fixed[3] = {0, 2, 0};
  MPI_Dims_create(24, 3, three);
  EXPECT(three[0] == 4 && three[1] == 3 && three[2] == 2);
  MPI_Dims_create(24, 3, fixed);
  EXPECT(fixed[0] == 4 && fixed[1] == 2 && fixed[2] == 3);
  MPI_Cart_create(MPI_COMM_WORLD, 2, sizes, periods, 1, &grid);
  MPI_Topo_test(grid, &kind);
  EXPECT_EQUAL(kind, MPI_CART);
  MPI_Cartdim_get(grid, &dimensions);
  EXPECT_EQUAL(dimensions, 2);
  MPI_Cart_coords(grid, me, 2, at);
  MPI_Cart_rank(grid, at, &rank);
  EXPECT_EQUAL(rank, me);
  EXPECT_EQUAL(at[0] * sizes[1] + at[1], me);
  MPI_Cart_shift(grid, 0, 1, &from, &to);
  EXPECT_EQUAL(to, (at[0] + 1) % sizes[0] * sizes[1] + at[1]);
  MPI_Cart_shift(grid, 1, 1, &from, &to);
  EXPECT_EQUAL(to, at[1] + 1 < sizes[1] ? me + 1 : MPI_PROC_NULL);
  EXPECT_EQUAL(from, at[1] > 0 ? me - 1 : MPI_PROC_NULL);
  const int remain[2] = {0, 1};
  MPI_Cart_sub(grid, remain, &row);
  int size;
  MPI_Comm_size(row, &size);
  EXPECT_EQUAL(size, sizes[1]);
  MPI_Comm_rank(row, &rank);
  EXPECT_EQUAL(rank, at[1]);
  MPI_Comm_free(&row);
  MPI_Comm_free(&grid);
}

/// What was given up is over when the communicator is.
static void disconnected(void) {
  enum { many = 50000 };
  static int out[many], in[many];
  MPI_Comm twin;
  MPI_Request request;
  MPI_Comm_dup(MPI_COMM_WORLD, &twin);
  for (int i = 0; i < many; ++i) out[i] = me + i, in[i] = -1;
  MPI_Irecv(in, many, MPI_INT, (me + ranks - 1) % ranks, 0, twin, &request);
  MPI_Request_free(&request);
  MPI_Isend(out, many, MPI_INT, (me + 1) % ranks, 0, twin, &request);
  MPI_Request_free(&request);
  MPI_Comm_disconnect(&twin);
  EXPECT_EQUAL(twin, MPI_COMM_NULL);
  for (int i = 0; i < many; ++i) EXPECT_EQUAL(in[i], (me + ranks - 1) % ranks + i);
  twin = MPI_COMM_SELF;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  EXPECT_EQUAL(MPI_Comm_disconnect(&twin), MPI_ERR_COMM);
  twin = MPI_COMM_NULL;
  EXPECT_EQUAL(MPI_Comm_disconnect(&twin), MPI_ERR_COMM);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

static void hints(void) {
  MPI_Info info, copy;
  char value[MPI_MAX_INFO_VAL + 1], key[MPI_MAX_INFO_KEY];
  int flag, count, length;
  MPI_Info_create(&info);
  MPI_Info_set(info, "z", "first");
  MPI_Info_set(info, "a", "second");
  MPI_Info_set(info, "z", "third");
  MPI_Info_get_nkeys(info, &count);
  EXPECT_EQUAL(count, 2);
  MPI_Info_get_nthkey(info, 0, key);
  EXPECT(strcmp(key, "z") == 0);
  MPI_Info_get(info, "z", 2, value, &flag);
  EXPECT(flag && strcmp(value, "th") == 0);
  // Up to the room that there is, which includes the zero; and how much is wanted.
  for (int room = 0; room < 9; ++room) {
    strcpy(value, "before");
    length = room;
    MPI_Info_get_string(info, "z", &length, value, &flag);
    EXPECT(flag && length == 6);
    if (room == 0)
      EXPECT_EQUAL(strcmp(value, "before"), 0);
    else
      EXPECT(strlen(value) == (size_t)(room < 6 ? room - 1 : 5) && strncmp(value, "third", (size_t)room - 1) == 0);
  }
  MPI_Info_get_string(info, "none", &length, value, &flag);
  EXPECT(!flag && length == 6 && strcmp(value, "third") == 0);
  MPI_Info_dup(info, &copy);
  MPI_Info_delete(info, "z");
  MPI_Info_get_valuelen(info, "z", &length, &flag);
  EXPECT_EQUAL(flag, 0);
  MPI_Info_get_valuelen(copy, "z", &length, &flag);
  EXPECT(flag && length == 5);
  // No hint is used.
  MPI_Info used;
  MPI_Comm_set_info(MPI_COMM_WORLD, copy);
  MPI_Comm_get_info(MPI_COMM_WORLD, &used);
  MPI_Info_get_nkeys(used, &count);
  EXPECT_EQUAL(count, 0);
  MPI_Info_free(&used);
  MPI_Info_free(&info);
  MPI_Info_free(&copy);
}

static int told;
static void on_error(MPI_Comm* comm, int* code, ...) {
  (void)comm;
  told = *code;
}

static void handlers(void) {
  MPI_Comm own;
  MPI_Errhandler handler, now;
  char text[MPI_MAX_ERROR_STRING];
  int length, code, error_class, new_class, new_code;
  MPI_Comm_dup(MPI_COMM_WORLD, &own);
  MPI_Comm_create_errhandler(on_error, &handler);
  MPI_Comm_set_errhandler(own, handler);
  MPI_Comm_get_errhandler(own, &now);
  EXPECT_EQUAL(now, handler);
  code = MPI_Send(&code, 1, MPI_INT, -7, 0, own);
  EXPECT_EQUAL(code, MPI_ERR_RANK);
  EXPECT_EQUAL(told, MPI_ERR_RANK);
  MPI_Error_class(code, &error_class);
  EXPECT_EQUAL(error_class, MPI_ERR_RANK);
  MPI_Error_string(code, text, &length);
  EXPECT(strstr(text, "MPI_ERR_RANK") && (int)strlen(text) == length);
  MPI_Add_error_class(&new_class);
  MPI_Add_error_code(new_class, &new_code);
  MPI_Add_error_string(new_code, "of my own");
  MPI_Error_class(new_code, &error_class);
  EXPECT_EQUAL(error_class, new_class);
  MPI_Error_string(new_code, text, &length);
  EXPECT(strcmp(text, "of my own") == 0);
  MPI_Comm_call_errhandler(own, new_code);
  EXPECT_EQUAL(told, new_code);
  MPI_Errhandler_free(&handler);
  MPI_Comm_free(&own);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  divided();
  groups();
  attributes();
  grids();
  disconnected();
  hints();
  handlers();
  char name[MPI_MAX_OBJECT_NAME];
  int length;
  MPI_Comm_get_name(MPI_COMM_WORLD, name, &length);
  EXPECT(strcmp(name, "MPI_COMM_WORLD") == 0);
  return end();
}
