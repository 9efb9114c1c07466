// Types made of others: what is sent of them, where it arrives, what they say of themselves.
#include <stddef.h>

#include "expect.h"

/// Sends one element of a type to oneself and receives the ints in it side by side, and the other way round.
static void expect_ints(MPI_Datatype type, int* memory, size_t room, const int* expected, int count) {
  int got[64], size;
  MPI_Status status;
  MPI_Type_commit(&type);
  MPI_Type_size(type, &size);
  EXPECT_EQUAL(size, count * (int)sizeof(int));
  for (size_t i = 0; i < room; ++i) memory[i] = (int)i;
  MPI_Sendrecv(memory, 1, type, me, 0, got, 64, MPI_INT, me, 0, MPI_COMM_WORLD, &status);
  int came;
  MPI_Get_count(&status, MPI_INT, &came);
  EXPECT_EQUAL(came, count);
  for (int i = 0; i < count; ++i) EXPECT_EQUAL(got[i], expected[i]);
  for (size_t i = 0; i < room; ++i) memory[i] = -1;
  MPI_Sendrecv(got, count, MPI_INT, me, 0, memory, 1, type, me, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  int found = 0;
  for (size_t i = 0; i < room; ++i) found += memory[i] != -1;
  EXPECT_EQUAL(found, count);
  for (int i = 0; i < count; ++i) EXPECT_EQUAL(memory[expected[i]], expected[i]);
  char packed[512];
  int at = 0, needed;
  MPI_Pack_size(1, type, MPI_COMM_WORLD, &needed);
  EXPECT(needed >= size && needed <= (int)sizeof packed);
  MPI_Pack(memory, 1, type, packed, sizeof packed, &at, MPI_COMM_WORLD);
  EXPECT_EQUAL(at, size);
  for (size_t i = 0; i < room; ++i) memory[i] = -1;
  at = 0;
  MPI_Unpack(packed, size, &at, memory, 1, type, MPI_COMM_WORLD);
  for (int i = 0; i < count; ++i) EXPECT_EQUAL(memory[expected[i]], expected[i]);
  MPI_Type_free(&type);
  EXPECT_EQUAL(type, MPI_DATATYPE_NULL);
}

static void expect_bounds(MPI_Datatype type, long lower, long extent, long true_lower, long true_extent) {
  MPI_Aint a, b;
  MPI_Type_get_extent(type, &a, &b);
  EXPECT_EQUAL(a, lower);
  EXPECT_EQUAL(b, extent);
  MPI_Count large_a = -1, large_b = -1;
  MPI_Type_get_extent_x(type, &large_a, &large_b);
  EXPECT(large_a == a && large_b == b);
  MPI_Type_get_true_extent(type, &a, &b);
  MPI_Type_get_true_extent_x(type, &large_a, &large_b);
  EXPECT(large_a == a && large_b == b);
  EXPECT_EQUAL(a, true_lower);
  EXPECT_EQUAL(b, true_extent);
}

enum { bytes = sizeof(int) };

static void of_ints(void) {
  int memory[64];
  MPI_Datatype type, inner;
  MPI_Type_contiguous(3, MPI_INT, &type);
  expect_ints(type, memory, 64, (const int[]){0, 1, 2}, 3);
  MPI_Type_vector(3, 2, 5, MPI_INT, &type);
  expect_bounds(type, 0, 12 * bytes, 0, 12 * bytes);
  expect_ints(type, memory, 64, (const int[]){0, 1, 5, 6, 10, 11}, 6);
  MPI_Type_create_hvector(2, 2, 7 * bytes, MPI_INT, &type);
  expect_ints(type, memory, 64, (const int[]){0, 1, 7, 8}, 4);
  MPI_Type_indexed(3, (const int[]){2, 0, 1}, (const int[]){4, 9, 1}, MPI_INT, &type);
  expect_bounds(type, bytes, 5 * bytes, bytes, 5 * bytes);
  expect_ints(type, memory, 64, (const int[]){4, 5, 1}, 3);
  MPI_Type_create_hindexed(2, (const int[]){1, 2}, (const MPI_Aint[]){3 * bytes, 8 * bytes}, MPI_INT, &type);
  expect_ints(type, memory, 64, (const int[]){3, 8, 9}, 3);
  MPI_Type_create_indexed_block(2, 2, (const int[]){6, 1}, MPI_INT, &type);
  expect_ints(type, memory, 64, (const int[]){6, 7, 1, 2}, 4);
  MPI_Type_create_hindexed_block(2, 1, (const MPI_Aint[]){5 * bytes, 2 * bytes}, MPI_INT, &type);
  expect_ints(type, memory, 64, (const int[]){5, 2}, 2);
  MPI_Type_create_subarray(2, (const int[]){4, 6}, (const int[]){2, 3}, (const int[]){1, 2}, MPI_ORDER_C, MPI_INT,
                           &type);
  expect_bounds(type, 0, 24 * bytes, 8 * bytes, 9 * bytes);
  expect_ints(type, memory, 64, (const int[]){8, 9, 10, 14, 15, 16}, 6);
  MPI_Type_create_subarray(2, (const int[]){4, 6}, (const int[]){2, 3}, (const int[]){1, 2}, MPI_ORDER_FORTRAN, MPI_INT,
                           &type);
  expect_ints(type, memory, 64, (const int[]){9, 10, 13, 14, 17, 18}, 6);
  MPI_Type_vector(2, 1, 2, MPI_INT, &inner);
  MPI_Type_create_resized(inner, 0, 4 * bytes, &type);
  MPI_Type_free(&inner);
  expect_bounds(type, 0, 4 * bytes, 0, 3 * bytes);
  inner = type;
  MPI_Type_contiguous(2, inner, &type);
  MPI_Type_free(&inner);
  expect_ints(type, memory, 64, (const int[]){0, 2, 4, 6}, 4);
  MPI_Type_vector(2, 1, -3, MPI_INT, &inner);
  expect_bounds(inner, -3 * bytes, 4 * bytes, -3 * bytes, 4 * bytes);
  MPI_Type_dup(inner, &type);
  expect_bounds(type, -3 * bytes, 4 * bytes, -3 * bytes, 4 * bytes);
  MPI_Type_free(&inner);
  MPI_Type_free(&type);
}

struct record {
  char letter;
  double number;
  short pair[2];
};

static void of_records(void) {
  const struct record none = {0};
  MPI_Datatype type;
  MPI_Aint at[3], begin;
  MPI_Get_address(&none, &begin);
  MPI_Get_address(&none.letter, &at[0]);
  MPI_Get_address(&none.number, &at[1]);
  MPI_Get_address(&none.pair, &at[2]);
  for (int i = 0; i < 3; ++i) at[i] = MPI_Aint_diff(at[i], begin);
  EXPECT_EQUAL(at[1], offsetof(struct record, number));
  MPI_Type_create_struct(3, (const int[]){1, 1, 2}, at, (const MPI_Datatype[]){MPI_CHAR, MPI_DOUBLE, MPI_SHORT}, &type);
  MPI_Type_commit(&type);
  expect_bounds(type, 0, sizeof(struct record), 0, offsetof(struct record, pair) + 4);
  struct record out[100], in[100];
  for (int i = 0; i < 100; ++i) out[i] = (struct record){(char)i, i + 0.5, {(short)i, (short)-i}};
  MPI_Sendrecv(out, 100, type, me, 0, in, 100, type, me, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < 100; ++i)
    EXPECT(in[i].letter == (char)i && in[i].number == i + 0.5 && in[i].pair[0] == i && in[i].pair[1] == -i);
  memset(in, 0, sizeof in);
  if (me == 0) memcpy(in, out, sizeof in);
  MPI_Bcast(in, 100, type, 0, MPI_COMM_WORLD);
  EXPECT(in[99].number == 99.5);

  int integers, addresses, types, combiner;
  MPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
  EXPECT_EQUAL(integers, 4);
  EXPECT_EQUAL(addresses, 3);
  EXPECT_EQUAL(types, 3);
  EXPECT_EQUAL(combiner, MPI_COMBINER_STRUCT);
  int lengths[4];
  MPI_Datatype of[3];
  MPI_Aint places[3];
  MPI_Type_get_contents(type, 4, 3, 3, lengths, places, of);
  EXPECT(lengths[0] == 3 && lengths[3] == 2 && places[1] == at[1] && of[1] == MPI_DOUBLE);
  MPI_Type_get_envelope(MPI_INT, &integers, &addresses, &types, &combiner);
  EXPECT_EQUAL(combiner, MPI_COMBINER_NAMED);
  char name[MPI_MAX_OBJECT_NAME];
  int length;
  MPI_Type_get_name(MPI_DOUBLE, name, &length);
  EXPECT(strcmp(name, "MPI_DOUBLE") == 0);
  MPI_Type_set_name(type, "record");
  MPI_Type_get_name(type, name, &length);
  EXPECT(strcmp(name, "record") == 0 && length == 6);
  MPI_Type_free(&type);
}

/// Numbers that a status speaks of, also where an element is not complete.
static void parts_of_elements(void) {
  MPI_Datatype type;
  MPI_Status status;
  int found;
  const MPI_Aint at[3] = {0, 8, 16};
  MPI_Type_create_struct(3, (const int[]){1, 1, 2}, at, (const MPI_Datatype[]){MPI_CHAR, MPI_DOUBLE, MPI_SHORT}, &type);
  MPI_Type_commit(&type);
  for (int count = 0; count < 10; ++count) {
    MPI_Status_set_elements(&status, type, count);
    MPI_Get_elements(&status, type, &found);
    EXPECT_EQUAL(found, count);
    MPI_Get_count(&status, type, &found);
    EXPECT_EQUAL(found, count % 4 ? MPI_UNDEFINED : count / 4);
    MPI_Count large = -1;
    MPI_Get_elements_x(&status, type, &large);
    EXPECT_EQUAL(large, count);
  }
  MPI_Count many = 0;
  MPI_Status_set_elements_x(&status, type, 1LL << 40);
  MPI_Get_elements_x(&status, type, &many);
  EXPECT_EQUAL(many, 1LL << 40);
  MPI_Get_elements(&status, type, &found);
  EXPECT_EQUAL(found, MPI_UNDEFINED);
  // One and a half of them arrive.
  struct record in[2];
  char packed[64];
  int at_byte = 0;
  const struct record out = {'a', 2.5, {3, 4}};
  MPI_Pack(&out, 1, type, packed, sizeof packed, &at_byte, MPI_COMM_WORLD);
  MPI_Pack(&out, 1, type, packed, sizeof packed, &at_byte, MPI_COMM_WORLD);
  in[1].pair[0] = -7;
  MPI_Sendrecv(packed, at_byte - 4, MPI_PACKED, me, 0, in, 2, type, me, 0, MPI_COMM_WORLD, &status);
  MPI_Get_elements(&status, type, &found);
  EXPECT_EQUAL(found, 6);
  EXPECT(in[0].pair[1] == 4 && in[1].letter == 'a' && in[1].number == 2.5);
  EXPECT_EQUAL(in[1].pair[0], -7);
  MPI_Type_free(&type);
}

/// What made a type is told in the order of the standard.
static void expect_made_by(MPI_Datatype type, int combiner, int integers, const int* expected, int addresses,
                           const MPI_Aint* places) {
  int found_integers, found_addresses, found_types, found_combiner, numbers[16] = {0};
  MPI_Aint at[8] = {0};
  MPI_Datatype of[1];
  MPI_Type_get_envelope(type, &found_integers, &found_addresses, &found_types, &found_combiner);
  EXPECT_EQUAL(found_combiner, combiner);
  EXPECT_EQUAL(found_integers, integers);
  EXPECT_EQUAL(found_addresses, addresses);
  EXPECT_EQUAL(found_types, 1);
  MPI_Type_get_contents(type, 16, 8, 1, numbers, at, of);
  for (int i = 0; i < integers; ++i) EXPECT_EQUAL(numbers[i], expected[i]);
  for (int i = 0; i < addresses; ++i) EXPECT_EQUAL(at[i], places[i]);
  EXPECT(of[0] == MPI_SHORT);
  MPI_Type_free(&type);
}

static void what_made_them(void) {
  const int two[] = {2, 1}, at[] = {5, 0};
  const MPI_Aint places[] = {12, 2};
  MPI_Datatype type;
  MPI_Type_contiguous(3, MPI_SHORT, &type);
  expect_made_by(type, MPI_COMBINER_CONTIGUOUS, 1, (const int[]){3}, 0, NULL);
  MPI_Type_dup(MPI_SHORT, &type);
  expect_made_by(type, MPI_COMBINER_DUP, 0, NULL, 0, NULL);
  MPI_Type_vector(3, 2, -5, MPI_SHORT, &type);
  expect_made_by(type, MPI_COMBINER_VECTOR, 3, (const int[]){3, 2, -5}, 0, NULL);
  MPI_Type_create_hvector(3, 2, 20, MPI_SHORT, &type);
  expect_made_by(type, MPI_COMBINER_HVECTOR, 2, (const int[]){3, 2}, 1, (const MPI_Aint[]){20});
  MPI_Type_indexed(2, two, at, MPI_SHORT, &type);
  expect_made_by(type, MPI_COMBINER_INDEXED, 5, (const int[]){2, 2, 1, 5, 0}, 0, NULL);
  MPI_Type_create_hindexed(2, two, places, MPI_SHORT, &type);
  expect_made_by(type, MPI_COMBINER_HINDEXED, 3, (const int[]){2, 2, 1}, 2, places);
  MPI_Type_create_indexed_block(2, 3, at, MPI_SHORT, &type);
  expect_made_by(type, MPI_COMBINER_INDEXED_BLOCK, 4, (const int[]){2, 3, 5, 0}, 0, NULL);
  MPI_Type_create_hindexed_block(2, 3, places, MPI_SHORT, &type);
  expect_made_by(type, MPI_COMBINER_HINDEXED_BLOCK, 2, (const int[]){2, 3}, 2, places);
  MPI_Type_create_resized(MPI_SHORT, -2, 8, &type);
  expect_made_by(type, MPI_COMBINER_RESIZED, 0, NULL, 2, (const MPI_Aint[]){-2, 8});
  MPI_Type_create_subarray(2, (const int[]){4, 6}, two, (const int[]){1, 3}, MPI_ORDER_FORTRAN, MPI_SHORT, &type);
  expect_made_by(type, MPI_COMBINER_SUBARRAY, 8, (const int[]){2, 4, 6, 2, 1, 1, 3, MPI_ORDER_FORTRAN}, 0, NULL);
}

/// Bounds that were set hide those that would follow from what lies beside them.
static void bounds_that_were_set(void) {
  MPI_Datatype wide, type;
  MPI_Type_create_resized(MPI_INT, 0, 2 * bytes, &wide);
  MPI_Type_create_struct(2, (const int[]){2, 1}, (const MPI_Aint[]){0, 64}, (const MPI_Datatype[]){wide, MPI_DOUBLE},
                         &type);
  expect_bounds(type, 0, 4 * bytes, 0, 72);
  MPI_Type_free(&type);
  MPI_Type_free(&wide);
  MPI_Type_create_resized(MPI_DOUBLE, 0, 10, &wide);  // no multiple of the alignment
  MPI_Type_create_struct(1, (const int[]){1}, (const MPI_Aint[]){0}, &wide, &type);
  expect_bounds(type, 0, 10, 0, 8);
  MPI_Type_free(&type);
  MPI_Type_free(&wide);
}

static void of_absolute_addresses(void) {
  int a = 5, b = 6, into[2];
  MPI_Aint at[2];
  MPI_Datatype type;
  MPI_Get_address(&a, &at[0]);
  MPI_Get_address(&b, &at[1]);
  MPI_Type_create_hindexed(2, (const int[]){1, 1}, at, MPI_INT, &type);
  MPI_Type_commit(&type);
  MPI_Sendrecv(MPI_BOTTOM, 1, type, me, 0, into, 2, MPI_INT, me, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  EXPECT(into[0] == 5 && into[1] == 6);
  MPI_Type_free(&type);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  of_ints();
  of_records();
  parts_of_elements();
  what_made_them();
  bounds_that_were_set();
  of_absolute_addresses();
  return end();
}
