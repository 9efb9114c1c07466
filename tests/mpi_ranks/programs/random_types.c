// Types of types that a seed decides, beside lists of where their numbers lie: what they say of themselves, what is
// packed, and what arrives where.
//
//     random_types SEED COUNT
#include "expect.h"

static unsigned long long state;

static int drawn(int from, int to) {
  state = state * 6364136223846793005ULL + 1442695040888963407ULL;
  return from + (int)((state >> 33) % (unsigned)(to - from + 1));
}

enum { most = 3000, room = 1 << 15, origin = room / 2, parts = 4 };

/// What the standard says of a type: the places of its numbers, in the order in which they are sent.
struct model {
  int numbers;
  long at[most];
  int size[most];  // bytes of the number there
  long lower, upper;
  int is_marked;  // its bounds were set, by MPI_Type_create_resized or as those of a subarray
  int strictest;  // alignment
  int is_derived;
  MPI_Datatype type;
};

/// Adds `count` elements of a type behind what is there. Gives 0 if there is no room.
static int add(struct model* to, const struct model* of, long at, int count) {
  const long extent = of->upper - of->lower, last = (count - 1) * extent;
  if (count == 0) return 1;
  if (to->numbers + count * of->numbers > most) return 0;
  const int is_first = to->numbers == 0 || (of->is_marked && !to->is_marked);
  for (int i = 0; i < count; ++i)
    for (int k = 0; k < of->numbers; ++k) {
      to->at[to->numbers] = at + i * extent + of->at[k];
      to->size[to->numbers++] = of->size[k];
    }
  if (of->strictest > to->strictest) to->strictest = of->strictest;
  if (to->is_marked && !of->is_marked) return 1;  // bounds that were set hide those that follow from numbers
  const long lower = at + of->lower, upper = at + last + of->upper;
  to->lower = is_first || lower < to->lower ? lower : to->lower;
  to->upper = is_first || upper > to->upper ? upper : to->upper;
  to->is_marked = of->is_marked;
  return 1;
}

static void make_basic(struct model* to) {
  static const int sizes[] = {1, 2, 4, 8};
  const int kind = drawn(0, 3);
  memset(to, 0, sizeof *to);
  to->type = (const MPI_Datatype[]){MPI_CHAR, MPI_SHORT, MPI_INT, MPI_DOUBLE}[kind];
  to->numbers = 1;
  to->strictest = to->size[0] = sizes[kind];
  to->upper = sizes[kind];
}

/// A part of a grid of the elements.
static int make_part(struct model* to, const struct model* of) {
  int sizes[2], lengths[2], starts[2];
  const long extent = of->upper - of->lower;
  const int order = drawn(0, 1) ? MPI_ORDER_C : MPI_ORDER_FORTRAN, slow = order == MPI_ORDER_C ? 0 : 1, fast = 1 - slow;
  for (int d = 0; d < 2; ++d) {
    sizes[d] = drawn(1, 4);
    lengths[d] = drawn(1, sizes[d]);
    starts[d] = drawn(0, sizes[d] - lengths[d]);
  }
  for (int i = starts[slow]; i < starts[slow] + lengths[slow]; ++i)
    if (!add(to, of, (i * sizes[fast] + starts[fast]) * extent, lengths[fast])) return 0;
  to->lower = 0;
  to->upper = extent * sizes[0] * sizes[1];
  to->is_marked = 1;
  MPI_Type_create_subarray(2, sizes, lengths, starts, order, of->type, &to->type);
  return 1;
}

/// Elements of different types, aligned as a compiler does it.
static int make_struct(struct model* to, const struct model* of) {
  static struct model others[parts];
  const int count = drawn(1, parts);
  int lengths[parts];
  MPI_Aint at[parts], next = drawn(-2, 2) * 8;
  MPI_Datatype types[parts];
  for (int i = 0; i < count; ++i) {
    if (i == 0 || drawn(0, 2) == 0)
      others[i] = *of;
    else
      make_basic(&others[i]);
    const long extent = others[i].upper - others[i].lower;
    lengths[i] = drawn(0, 3) == 0 ? 0 : drawn(1, 3);
    at[i] = next - others[i].lower;
    at[i] += (others[i].strictest - ((at[i] % others[i].strictest) + others[i].strictest) % others[i].strictest) %
             others[i].strictest;
    types[i] = others[i].type;
    next = at[i] + others[i].lower + lengths[i] * extent + drawn(0, 1) * 8;
    if (!add(to, &others[i], at[i], lengths[i])) return 0;
  }
  const long rest = (to->upper - to->lower) % to->strictest;
  if (!to->is_marked && rest) to->upper += to->strictest - rest;
  MPI_Type_create_struct(count, lengths, at, types, &to->type);
  return 1;
}

static int make(struct model* to, const struct model* of) {
  const long extent = of->upper - of->lower;
  const int count = drawn(1, parts), length = drawn(1, 3), stride = drawn(0, 3) ? length + drawn(0, 2) : -length;
  int lengths[parts], at[parts], next = drawn(-2, 2), is_right = 1;
  MPI_Aint bytes[parts];
  memset(to, 0, sizeof *to);
  to->strictest = 1;
  for (int i = 0; i < count; ++i) {
    lengths[i] = drawn(0, 3) == 0 ? 0 : drawn(1, 3);
    at[i] = next;
    next += (lengths[i] > length ? lengths[i] : length) + drawn(0, 2);
  }
  if (drawn(0, 1)) {  // parts may come in any order
    const int first = at[0], first_length = lengths[0];
    at[0] = at[count - 1], lengths[0] = lengths[count - 1];
    at[count - 1] = first, lengths[count - 1] = first_length;
  }
  for (int i = 0; i < count; ++i) bytes[i] = at[i] * extent;
  switch (drawn(0, 10)) {
    case 0:
      is_right = add(to, of, 0, count);
      MPI_Type_contiguous(count, of->type, &to->type);
      break;
    case 1:
      for (int i = 0; i < count; ++i) is_right = is_right && add(to, of, i * stride * extent, length);
      MPI_Type_vector(count, length, stride, of->type, &to->type);
      break;
    case 2:
      for (int i = 0; i < count; ++i) is_right = is_right && add(to, of, i * (stride * extent + 8), length);
      MPI_Type_create_hvector(count, length, stride * extent + 8, of->type, &to->type);
      break;
    case 3:
      for (int i = 0; i < count; ++i) is_right = is_right && add(to, of, at[i] * extent, lengths[i]);
      MPI_Type_indexed(count, lengths, at, of->type, &to->type);
      break;
    case 4:
      for (int i = 0; i < count; ++i) is_right = is_right && add(to, of, bytes[i], lengths[i]);
      MPI_Type_create_hindexed(count, lengths, bytes, of->type, &to->type);
      break;
    case 5:
      for (int i = 0; i < count; ++i) is_right = is_right && add(to, of, at[i] * extent, length);
      MPI_Type_create_indexed_block(count, length, at, of->type, &to->type);
      break;
    case 6:
      for (int i = 0; i < count; ++i) is_right = is_right && add(to, of, bytes[i], length);
      MPI_Type_create_hindexed_block(count, length, bytes, of->type, &to->type);
      break;
    case 7:
      is_right = make_part(to, of);
      break;
    case 8: {
      *to = *of;
      to->lower = of->lower - drawn(0, 2) * 8;
      to->upper = of->upper + drawn(0, 2) * 8;
      to->is_marked = 1;
      MPI_Type_create_resized(of->type, to->lower, to->upper - to->lower, &to->type);
      break;
    }
    case 9:
      *to = *of;
      MPI_Type_dup(of->type, &to->type);
      break;
    default:
      is_right = make_struct(to, of);
  }
  return is_right;
}

/// Whether `count` elements have room and no two numbers share a byte: otherwise they cannot be received.
static int can_be_received(const struct model* of, int count) {
  static unsigned char is_taken[room];
  memset(is_taken, 0, sizeof is_taken);
  for (int i = 0; i < count; ++i)
    for (int k = 0; k < of->numbers; ++k) {
      const long at = origin + of->at[k] + i * (of->upper - of->lower);
      if (at < 0 || at + of->size[k] > room) return 0;
      for (int b = 0; b < of->size[k]; ++b)
        if (is_taken[at + b]++) return 0;
    }
  return of->numbers > 0 && of->upper > of->lower;
}

static unsigned char byte_of(int rank, long i) { return (unsigned char)(i * 7 + (i >> 8) + rank * 13 + 1); }

/// Memory where these elements of a rank have arrived, and their bytes behind each other.
static int expected(const struct model* of, int count, int rank, unsigned char* memory, unsigned char* packed) {
  int bytes = 0;
  memset(memory, 0xa5, room);
  for (int i = 0; i < count; ++i)
    for (int k = 0; k < of->numbers; ++k)
      for (int b = 0; b < of->size[k]; ++b) {
        const long at = origin + of->at[k] + i * (of->upper - of->lower) + b;
        memory[at] = packed[bytes++] = byte_of(rank, at);
      }
  return bytes;
}

static void expect_same(const unsigned char* found, const unsigned char* wanted, int bytes, int number,
                        const char* what) {
  for (int i = 0; i < bytes; ++i) {
    if (found[i] == wanted[i]) continue;
    fprintf(stderr, "rank %d: type %d, %s: byte %d is %d; expected %d\n", me, number, what, i, found[i], wanted[i]);
    MPI_Abort(MPI_COMM_WORLD, 70);
  }
}

static void try_out(struct model* of, int count, int number) {
  static unsigned char out[room], in[room], wanted[room], packed[most * 8 * 2], got[most * 8 * 2];
  const int left = (me + ranks - 1) % ranks, right = (me + 1) % ranks;
  MPI_Aint lower, extent;
  MPI_Status status;
  int size, found, at = 0, one = 0;
  long first = room, last = -room;
  for (int k = 0; k < of->numbers; ++k) {
    one += of->size[k];
    if (of->at[k] < first) first = of->at[k];
    if (of->at[k] + of->size[k] > last) last = of->at[k] + of->size[k];
  }
  MPI_Type_commit(&of->type);
  MPI_Type_size(of->type, &size);
  EXPECT_EQUAL(size, one);
  MPI_Type_get_extent(of->type, &lower, &extent);
  EXPECT_EQUAL(lower, of->lower);
  EXPECT_EQUAL(extent, of->upper - of->lower);
  MPI_Type_get_true_extent(of->type, &lower, &extent);
  EXPECT_EQUAL(lower, first);
  EXPECT_EQUAL(extent, last - first);

  for (int i = 0; i < room; ++i) out[i] = byte_of(me, i);
  const int bytes = expected(of, count, me, wanted, packed);
  MPI_Pack(out + origin, count, of->type, got, sizeof got, &at, MPI_COMM_WORLD);
  EXPECT_EQUAL(at, bytes);
  expect_same(got, packed, bytes, number, "packed");
  memset(in, 0xa5, room);
  at = 0;
  MPI_Unpack(packed, bytes, &at, in + origin, count, of->type, MPI_COMM_WORLD);
  expect_same(in, wanted, room, number, "unpacked");

  expected(of, count, left, wanted, packed);
  memset(in, 0xa5, room);
  MPI_Sendrecv(out + origin, count, of->type, right, 0, in + origin, count, of->type, left, 0, MPI_COMM_WORLD, &status);
  expect_same(in, wanted, room, number, "received");
  MPI_Get_count(&status, of->type, &found);
  EXPECT_EQUAL(found, count);
  MPI_Get_elements(&status, of->type, &found);
  EXPECT_EQUAL(found, count * of->numbers);
  MPI_Sendrecv(out + origin, count, of->type, right, 0, got, sizeof got, MPI_PACKED, left, 0, MPI_COMM_WORLD, &status);
  MPI_Get_count(&status, MPI_PACKED, &found);
  EXPECT_EQUAL(found, bytes);
  expect_same(got, packed, bytes, number, "received as packed");

  const int root = number % ranks;
  expected(of, count, root, wanted, packed);
  memset(in, 0xa5, room);
  MPI_Bcast((me == root ? out : in) + origin, count, of->type, root, MPI_COMM_WORLD);
  if (me != root) expect_same(in, wanted, room, number, "broadcast");
}

int main(int argc, char** argv) {
  static struct model one, next;
  begin(&argc, &argv);
  if (argc < 3) MPI_Abort(MPI_COMM_WORLD, 2);
  state = strtoull(argv[1], NULL, 10);
  for (int number = 0, numbers = atoi(argv[2]); number < numbers; ++number) {
    make_basic(&one);
    for (int depth = drawn(1, 4); depth > 0; --depth) {
      next.type = MPI_DATATYPE_NULL;
      const int is_right = make(&next, &one);
      if (!is_right || !can_be_received(&next, 1)) {
        if (next.type != MPI_DATATYPE_NULL) MPI_Type_free(&next.type);
        continue;
      }
      if (one.is_derived) MPI_Type_free(&one.type);  // what was made of it stays
      one = next;
      one.is_derived = 1;
    }
    int count = drawn(1, 5);
    while (!can_be_received(&one, count)) --count;
    if (!one.is_derived) continue;
    try_out(&one, count, number);
    MPI_Type_free(&one.type);
  }
  return end();
}
