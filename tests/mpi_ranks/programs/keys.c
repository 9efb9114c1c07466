// What programs and libraries keep with communicators and types: when it is copied and deleted, in which order, and
// what happens if the functions for that fail.
#include "expect.h"

static int copies, removals, last_removed, is_refused;

static int copy(MPI_Comm comm, int key, void* extra, void* from, void* to, int* keep) {
  (void)comm, (void)key;
  ++copies;
  if (is_refused) return MPI_ERR_OTHER;
  *keep = extra != NULL;
  *(void**)to = from;
  return MPI_SUCCESS;
}
static int forget(MPI_Comm comm, int key, void* value, void* extra) {
  (void)comm, (void)key, (void)extra;
  ++removals;
  last_removed = *(int*)value;
  return is_refused ? MPI_ERR_OTHER : MPI_SUCCESS;
}
static int copy_of_type(MPI_Datatype type, int key, void* extra, void* from, void* to, int* keep) {
  (void)type;
  return copy(MPI_COMM_NULL, key, extra, from, to, keep);
}
static int forget_of_type(MPI_Datatype type, int key, void* value, void* extra) {
  (void)type;
  return forget(MPI_COMM_NULL, key, value, extra);
}

static int values[] = {10, 11, 12};

static void expect_kept(MPI_Comm comm, int key, const int* expected) {
  void* found = NULL;
  int flag = -1;
  MPI_Comm_get_attr(comm, key, &found, &flag);
  EXPECT_EQUAL(flag, expected != NULL);
  if (expected) EXPECT(found == expected);
}

static int other_key;
static int forget_other_too(MPI_Comm comm, int key, void* value, void* extra) {
  (void)key, (void)value, (void)extra;
  return MPI_Comm_delete_attr(comm, other_key);
}

/// The function that deletes an attribute may delete others of the same communicator.
static void one_deletes_another(void) {
  MPI_Comm one;
  int keys[3];
  for (int first = 0; first < 3; first += 2) {
    MPI_Comm_dup(MPI_COMM_WORLD, &one);
    for (int i = 0; i < 3; ++i)
      MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, i == 1 ? forget_other_too : MPI_COMM_NULL_DELETE_FN, &keys[i],
                             NULL);
    other_key = keys[first];
    for (int i = 0; i < 3; ++i) MPI_Comm_set_attr(one, keys[i], &values[i]);
    MPI_Comm_delete_attr(one, keys[1]);
    for (int i = 0; i < 3; ++i) expect_kept(one, keys[i], i == 2 - first ? &values[i] : NULL);
    for (int i = 0; i < 3; ++i) MPI_Comm_free_keyval(&keys[i]);
    MPI_Comm_free(&one);
  }
}

static int more_keys[64];
static int copy_and_change_others(MPI_Comm comm, int key, void* extra, void* from, void* to, int* keep) {
  (void)key, (void)extra;
  MPI_Comm_delete_attr(comm, other_key);
  for (int i = 0; i < 64; ++i) MPI_Comm_set_attr(comm, more_keys[i], from);
  *keep = 1;
  *(void**)to = from;
  return MPI_SUCCESS;
}

/// The function that copies an attribute may delete and set others.
static void a_copy_changes_others(void) {
  MPI_Comm one, other;
  int keys[3];
  MPI_Comm_dup(MPI_COMM_WORLD, &one);
  for (int i = 0; i < 3; ++i) {
    MPI_Comm_create_keyval(i == 0 ? copy_and_change_others : copy, MPI_COMM_NULL_DELETE_FN, &keys[i], values);
    MPI_Comm_set_attr(one, keys[i], &values[i]);
  }
  for (int i = 0; i < 64; ++i) MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &more_keys[i], NULL);
  other_key = keys[1];
  MPI_Comm_dup(one, &other);
  EXPECT_EQUAL(copies, 1);
  for (int i = 0; i < 3; ++i) expect_kept(other, keys[i], i == 1 ? NULL : &values[i]);
  expect_kept(one, more_keys[63], &values[0]);
  expect_kept(other, more_keys[63], NULL);
  copies = 0;
  MPI_Comm_free(&one);
  MPI_Comm_free(&other);
  for (int i = 0; i < 3; ++i) MPI_Comm_free_keyval(&keys[i]);
  for (int i = 0; i < 64; ++i) MPI_Comm_free_keyval(&more_keys[i]);
}

static void of_communicators(void) {
  MPI_Comm one, other;
  int kept, dropped, plain, doubled;
  MPI_Comm_dup(MPI_COMM_WORLD, &one);
  MPI_Comm_create_keyval(copy, forget, &kept, values);
  MPI_Comm_create_keyval(copy, forget, &dropped, NULL);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &plain, NULL);
  MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &doubled, NULL);
  expect_kept(one, kept, NULL);
  MPI_Comm_set_attr(one, kept, &values[0]);
  MPI_Comm_set_attr(one, dropped, &values[1]);
  MPI_Comm_set_attr(one, plain, &values[2]);
  MPI_Comm_set_attr(one, doubled, &values[2]);
  MPI_Comm_dup(one, &other);
  EXPECT_EQUAL(copies, 2);
  expect_kept(other, kept, &values[0]);
  expect_kept(other, dropped, NULL);
  expect_kept(other, plain, NULL);
  expect_kept(other, doubled, &values[2]);
  // What is set again replaces what was there.
  MPI_Comm_set_attr(other, kept, &values[1]);
  EXPECT_EQUAL(removals, 1);
  EXPECT_EQUAL(last_removed, 10);
  expect_kept(one, kept, &values[0]);
  expect_kept(other, kept, &values[1]);
  MPI_Comm_free(&other);
  EXPECT_EQUAL(removals, 2);
  EXPECT_EQUAL(last_removed, 11);
  // Split makes a communicator without them. A key may be freed while something is kept by it.
  MPI_Comm_split(one, 0, 0, &other);
  expect_kept(other, kept, NULL);
  MPI_Comm_free(&other);
  const int before = kept;
  MPI_Comm_free_keyval(&kept);
  EXPECT_EQUAL(kept, MPI_KEYVAL_INVALID);
  expect_kept(one, before, &values[0]);
  MPI_Comm_delete_attr(one, dropped);
  EXPECT_EQUAL(removals, 3);
  EXPECT_EQUAL(last_removed, 11);
  // Functions that fail: nothing is copied or deleted, and the call gives an error.
  MPI_Comm_set_errhandler(one, MPI_ERRORS_RETURN);
  is_refused = 1;
  EXPECT(MPI_Comm_dup(one, &other) != MPI_SUCCESS);
  EXPECT_EQUAL(other, MPI_COMM_NULL);
  EXPECT(MPI_Comm_delete_attr(one, before) != MPI_SUCCESS);
  is_refused = 0;
  expect_kept(one, before, &values[0]);
  removals = 0;
  MPI_Comm_free(&one);
  EXPECT_EQUAL(removals, 1);
  EXPECT_EQUAL(last_removed, 10);
  MPI_Comm_free_keyval(&dropped);
  MPI_Comm_free_keyval(&plain);
  MPI_Comm_free_keyval(&doubled);
}

static void of_types(void) {
  MPI_Datatype one, other;
  void* found;
  int key, flag;
  copies = removals = 0;
  MPI_Type_contiguous(3, MPI_INT, &one);
  MPI_Type_create_keyval(copy_of_type, forget_of_type, &key, values);
  MPI_Type_set_attr(one, key, &values[1]);
  MPI_Type_dup(one, &other);
  EXPECT_EQUAL(copies, 1);
  MPI_Type_get_attr(other, key, &found, &flag);
  EXPECT(flag && found == &values[1]);
  MPI_Type_delete_attr(other, key);
  EXPECT_EQUAL(removals, 1);
  MPI_Type_get_attr(other, key, &found, &flag);
  EXPECT_EQUAL(flag, 0);
  MPI_Type_free(&other);
  EXPECT_EQUAL(removals, 1);
  MPI_Type_free(&one);
  EXPECT_EQUAL(removals, 2);
  MPI_Type_free_keyval(&key);
  EXPECT_EQUAL(key, MPI_KEYVAL_INVALID);
}

static void of_the_standard(void) {
  const int keys[] = {MPI_TAG_UB, MPI_WTIME_IS_GLOBAL, MPI_IO, MPI_HOST, MPI_LASTUSEDCODE};
  int *value, flag;
  for (int i = 0; i < 5; ++i) {
    MPI_Comm_get_attr(MPI_COMM_WORLD, keys[i], &value, &flag);
    EXPECT_EQUAL(flag, 1);
    if (keys[i] == MPI_TAG_UB) {
      // The largest tag can be sent.
      int got = 0;
      MPI_Sendrecv(&me, 1, MPI_INT, me, *value, &got, 1, MPI_INT, me, *value, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      EXPECT_EQUAL(got, me);
    }
    if (keys[i] == MPI_LASTUSEDCODE) {
      const int before = *value;
      int own;
      MPI_Add_error_class(&own);
      MPI_Comm_get_attr(MPI_COMM_WORLD, keys[i], &value, &flag);
      EXPECT(flag && own > before && *value == own);
    }
  }
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_UNIVERSE_SIZE, &value, &flag);
  EXPECT(!flag || *value >= ranks);
}

static int order[3], ends;
static int at_end(MPI_Comm comm, int key, void* value, void* extra) {
  int is_over;
  (void)comm, (void)key, (void)extra;
  MPI_Finalized(&is_over);
  if (is_over || ends > 2) abort();
  order[ends++] = *(int*)value;
  return MPI_SUCCESS;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  one_deletes_another();
  a_copy_changes_others();
  of_communicators();
  of_types();
  of_the_standard();
  // What is kept with MPI_COMM_SELF is deleted first of all by MPI_Finalize, the latest first.
  for (int i = 0; i < 3; ++i) {
    int key;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, at_end, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, &values[i]);
    MPI_Comm_free_keyval(&key);
  }
  const int status = end();
  if (ends != 3 || order[0] != 12 || order[1] != 11 || order[2] != 10) {
    fprintf(stderr, "rank %d: %d were deleted, first %d, %d, %d; expected 3: 12, 11, 10\n", me, ends, order[0],
            order[1], order[2]);
    return 70;
  }
  return status;
}
