// Numbers for other implementations: "external32" has them as the standard says, and gives them back.
#include <complex.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <wchar.h>

#include "expect.h"

static void expect_sizes(void) {
  const struct {
    MPI_Datatype type;
    int bytes;
  } all[] = {{MPI_CHAR, 1},
             {MPI_SIGNED_CHAR, 1},
             {MPI_UNSIGNED_CHAR, 1},
             {MPI_BYTE, 1},
             {MPI_PACKED, 1},
             {MPI_WCHAR, 2},
             {MPI_SHORT, 2},
             {MPI_UNSIGNED_SHORT, 2},
             {MPI_INT, 4},
             {MPI_UNSIGNED, 4},
             {MPI_LONG, 4},
             {MPI_UNSIGNED_LONG, 4},
             {MPI_LONG_LONG, 8},
             {MPI_UNSIGNED_LONG_LONG, 8},
             {MPI_FLOAT, 4},
             {MPI_DOUBLE, 8},
             {MPI_LONG_DOUBLE, 16},
             {MPI_C_BOOL, 1},
             {MPI_CXX_BOOL, 1},
             {MPI_INT8_T, 1},
             {MPI_INT16_T, 2},
             {MPI_INT32_T, 4},
             {MPI_INT64_T, 8},
             {MPI_UINT8_T, 1},
             {MPI_UINT16_T, 2},
             {MPI_UINT32_T, 4},
             {MPI_UINT64_T, 8},
             {MPI_AINT, 8},
             {MPI_COUNT, 8},
             {MPI_OFFSET, 8},
             {MPI_C_COMPLEX, 8},
             {MPI_C_DOUBLE_COMPLEX, 16},
             {MPI_C_LONG_DOUBLE_COMPLEX, 32},
             {MPI_FLOAT_INT, 8},
             {MPI_LONG_INT, 8},
             {MPI_CHARACTER, 1},
             {MPI_LOGICAL, 4},
             {MPI_INTEGER, 4},
             {MPI_INTEGER1, 1},
             {MPI_INTEGER2, 2},
             {MPI_INTEGER8, 8},
             {MPI_REAL, 4},
             {MPI_REAL16, 16},
             {MPI_DOUBLE_PRECISION, 8},
             {MPI_COMPLEX, 8},
             {MPI_DOUBLE_COMPLEX, 16}};
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i) {
    MPI_Aint size = -1;
    MPI_Pack_external_size("external32", 3, all[i].type, &size);
    EXPECT_EQUAL(size, 3 * all[i].bytes);
  }
}

/// One number becomes these bytes, and is that number again.
static void expect_bytes(const void* number, MPI_Datatype type, const char* expected) {
  unsigned char packed[64];
  char written[200] = "", back[64], again[64];
  int size;
  MPI_Aint at = 3, read = 3;
  MPI_Type_size(type, &size);
  MPI_Pack_external("external32", number, 1, type, packed, 64, &at);
  for (int i = 3; i < at; ++i) snprintf(written + strlen(written), 4, "%02x ", packed[i]);
  if (strcmp(written, expected) != 0) {
    fprintf(stderr, "rank %d: %sis written; expected %s\n", me, written, expected);
    MPI_Abort(MPI_COMM_WORLD, 70);
  }
  memset(back, 0, sizeof back);
  memset(again, 0, sizeof again);
  MPI_Unpack_external("external32", packed, at, &read, back, 1, type);
  EXPECT_EQUAL(read, at);
  // What is no part of the number differs.
  memcpy(again, number, type == MPI_LONG_DOUBLE && LDBL_MANT_DIG == 64 ? 10 : (size_t)size);
  EXPECT(memcmp(back, again, sizeof back) == 0);
}

static void whole_numbers(void) {
  expect_bytes(&(int){0x01020304}, MPI_INT, "01 02 03 04 ");
  expect_bytes(&(int){-2}, MPI_INT, "ff ff ff fe ");
  expect_bytes(&(short){0x0102}, MPI_SHORT, "01 02 ");
  expect_bytes("x", MPI_CHAR, "78 ");
  expect_bytes(&(long){-2}, MPI_LONG, "ff ff ff fe ");
  expect_bytes(&(long){INT_MAX}, MPI_LONG, "7f ff ff ff ");
  expect_bytes(&(long){INT_MIN}, MPI_LONG, "80 00 00 00 ");
  expect_bytes(&(unsigned long){UINT_MAX}, MPI_UNSIGNED_LONG, "ff ff ff ff ");
  expect_bytes(&(long long){-2}, MPI_LONG_LONG, "ff ff ff ff ff ff ff fe ");
  expect_bytes(&(int64_t){0x0102030405060708}, MPI_INT64_T, "01 02 03 04 05 06 07 08 ");
  expect_bytes(&(wchar_t){L'A'}, MPI_WCHAR, "00 41 ");
  expect_bytes(&(wchar_t){0xff21}, MPI_WCHAR, "ff 21 ");  // a character's number has no sign
  expect_bytes(&(bool){true}, MPI_C_BOOL, "01 ");
  expect_bytes(&(bool){false}, MPI_C_BOOL, "00 ");
  unsigned char is = 0;
  MPI_Aint at = 0;
  MPI_Unpack_external("external32", "\x10", 1, &at, &is, 1, MPI_C_BOOL);
  EXPECT_EQUAL(is, 1);
}

static void real_numbers(void) {
  expect_bytes(&(float){1}, MPI_FLOAT, "3f 80 00 00 ");
  expect_bytes(&(double){-0.5}, MPI_DOUBLE, "bf e0 00 00 00 00 00 00 ");
  const float complex whole = 1 - 2 * I;
  expect_bytes(&whole, MPI_C_COMPLEX, "3f 80 00 00 c0 00 00 00 ");
  expect_bytes(&(long double){1}, MPI_LONG_DOUBLE, "3f ff 00 00 00 00 00 00 00 00 00 00 00 00 00 00 ");
  expect_bytes(&(long double){-3}, MPI_LONG_DOUBLE, "c0 00 80 00 00 00 00 00 00 00 00 00 00 00 00 00 ");
  expect_bytes(&(long double){0}, MPI_LONG_DOUBLE, "00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 ");
  expect_bytes(&(long double){INFINITY}, MPI_LONG_DOUBLE, "7f ff 00 00 00 00 00 00 00 00 00 00 00 00 00 00 ");
#if LDBL_MANT_DIG == 64
  expect_bytes(&(long double){LDBL_MAX}, MPI_LONG_DOUBLE, "7f fe ff ff ff ff ff ff ff fe 00 00 00 00 00 00 ");
  expect_bytes(&(long double){LDBL_MIN}, MPI_LONG_DOUBLE, "00 01 00 00 00 00 00 00 00 00 00 00 00 00 00 00 ");
  // The least number: 2^-16445.
  expect_bytes(&(long double){LDBL_TRUE_MIN}, MPI_LONG_DOUBLE, "00 00 00 00 00 00 00 00 00 02 00 00 00 00 00 00 ");
  // Numbers of others have more digits.
  const struct {
    unsigned char bytes[16];
    long double expected;
  } others[] = {
      {{0x3f, 0xff, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, 1},
      {{0x3f, 0xff, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0}, 1},                     // half of the last digit
      {{0x3f, 0xff, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1}, 1 + LDBL_EPSILON},      // more than half
      {{0x3f, 0xff, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0}, 1 + 2 * LDBL_EPSILON},  // half, to the even one
      {{0x3f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0, 0, 0}, 2},
      {{0x7f, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0, 0, 0}, INFINITY},
      {{0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0, 0, 0}, LDBL_MIN},
  };
  for (size_t i = 0; i < sizeof others / sizeof *others; ++i) {
    long double got;
    MPI_Aint at = 0;
    MPI_Unpack_external("external32", others[i].bytes, 16, &at, &got, 1, MPI_LONG_DOUBLE);
    EXPECT(got == others[i].expected);
  }
  const unsigned char no_number[16] = {0x7f, 0xff, [15] = 1};
  long double none;
  MPI_Aint at = 0;
  MPI_Unpack_external("external32", no_number, 16, &at, &none, 1, MPI_LONG_DOUBLE);
  EXPECT(isnan(none));
#endif
}

struct mixed {
  char letter;
  double real;
  short small[3];
  long large;
  long double most;
  float complex whole;
};

/// Structures with room between their numbers are packed without it, several calls behind each other.
static void structures(void) {
  struct mixed out[5], in[5];
  MPI_Datatype type;
  const int lengths[] = {1, 1, 3, 1, 1, 1};
  const MPI_Aint places[] = {offsetof(struct mixed, letter), offsetof(struct mixed, real),
                             offsetof(struct mixed, small),  offsetof(struct mixed, large),
                             offsetof(struct mixed, most),   offsetof(struct mixed, whole)};
  const MPI_Datatype types[] = {MPI_CHAR, MPI_DOUBLE, MPI_SHORT, MPI_LONG, MPI_LONG_DOUBLE, MPI_C_COMPLEX};
  MPI_Aint size, at = 0, read = 0;
  char packed[300];
  MPI_Type_create_struct(6, lengths, places, types, &type);
  MPI_Type_commit(&type);
  MPI_Pack_external_size("external32", 5, type, &size);
  EXPECT_EQUAL(size, 5 * (1 + 8 + 6 + 4 + 16 + 8));
  memset(in, 0, sizeof in);
  for (int i = 0; i < 5; ++i) {
    out[i].letter = (char)('a' + i);
    out[i].real = 1.0 / (i + 3 + me);
    for (int k = 0; k < 3; ++k) out[i].small[k] = (short)(100 * i - k);
    out[i].large = -1000000000L * (i % 2) + i;
    out[i].most = 1.0L / (i + 7);
    out[i].whole = (float)i - 0.25f * I;
  }
  MPI_Pack_external("external32", out, 2, type, packed, sizeof packed, &at);
  MPI_Pack_external("external32", &out[2], 3, type, packed, sizeof packed, &at);
  EXPECT_EQUAL(at, size);
  // They are sent as bytes.
  MPI_Sendrecv_replace(packed, (int)size, MPI_BYTE, me, 0, me, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Unpack_external("external32", packed, size, &read, in, 4, type);
  MPI_Unpack_external("external32", packed, size, &read, &in[4], 1, type);
  EXPECT_EQUAL(read, size);
  for (int i = 0; i < 5; ++i) {
    EXPECT(in[i].letter == out[i].letter && in[i].real == out[i].real && in[i].large == out[i].large);
    EXPECT(memcmp(in[i].small, out[i].small, sizeof in[i].small) == 0);
    EXPECT(in[i].most == out[i].most && in[i].whole == out[i].whole);
  }
  MPI_Type_free(&type);
}

static void errors(void) {
  char room[64];
  int number = 7, back = -1;
  MPI_Aint at = 0, size;
  MPI_Datatype type;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  EXPECT_EQUAL(MPI_Pack_external("native", &number, 1, MPI_INT, room, 64, &at), MPI_ERR_ARG);
  EXPECT_EQUAL(MPI_Pack_external_size("", 1, MPI_INT, &size), MPI_ERR_ARG);
  EXPECT_EQUAL(MPI_Unpack_external("external64", room, 64, &at, &back, 1, MPI_INT), MPI_ERR_ARG);
  EXPECT_EQUAL(MPI_Pack_external("external32", &number, 1, MPI_INT, room, 3, &at), MPI_ERR_TRUNCATE);
  at = 61;
  EXPECT_EQUAL(MPI_Pack_external("external32", &number, 1, MPI_INT, room, 64, &at), MPI_ERR_TRUNCATE);
  EXPECT_EQUAL(MPI_Unpack_external("external32", room, 64, &at, &back, 1, MPI_INT), MPI_ERR_TRUNCATE);
  at = -1;
  EXPECT_EQUAL(MPI_Pack_external("external32", &number, 1, MPI_INT, room, 64, &at), MPI_ERR_TRUNCATE);
  EXPECT(at == -1 && back == -1);
  at = 0;
  EXPECT_EQUAL(MPI_Pack_external("external32", &number, -1, MPI_INT, room, 64, &at), MPI_ERR_COUNT);
  EXPECT_EQUAL(MPI_Pack_external_size("external32", -1, MPI_INT, &size), MPI_ERR_COUNT);
  EXPECT_EQUAL(MPI_Pack_external("external32", &number, 1, MPI_DATATYPE_NULL, room, 64, &at), MPI_ERR_TYPE);
  MPI_Type_contiguous(1, MPI_INT, &type);
  EXPECT_EQUAL(MPI_Pack_external("external32", &number, 1, type, room, 64, &at), MPI_ERR_TYPE);  // not committed
  MPI_Type_free(&type);
  // A long has 4 bytes there.
  EXPECT_EQUAL(MPI_Pack_external("external32", &(long){INT_MAX + 1L}, 1, MPI_LONG, room, 64, &at), MPI_ERR_CONVERSION);
  EXPECT_EQUAL(MPI_Pack_external("external32", &(long){INT_MIN - 1L}, 1, MPI_LONG, room, 64, &at), MPI_ERR_CONVERSION);
  EXPECT_EQUAL(MPI_Pack_external("external32", &(unsigned long){UINT_MAX + 1UL}, 1, MPI_UNSIGNED_LONG, room, 64, &at),
               MPI_ERR_CONVERSION);
  EXPECT_EQUAL(MPI_Pack_external("external32", &(wchar_t){0x10000}, 1, MPI_WCHAR, room, 64, &at), MPI_ERR_CONVERSION);
  EXPECT_EQUAL(at, 0);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  expect_sizes();
  whole_numbers();
  real_numbers();
  structures();
  errors();
  return end();
}
