/* void*: with a size it is data, without one it is only passed on. Data that overlap in part. */
#include <stdio.h>
#include <string.h>

#pragma css task input(from[bytes]) output(to[bytes])
void copy(const void *from, void *to, unsigned long bytes) { memcpy(to, from, bytes); }

#pragma css task inout(text[bytes])
void shift(void *text, unsigned long bytes, void *by) {
  unsigned char *at = text;
  unsigned long i;
  for (i = 0; i < bytes; ++i) at[i] = (unsigned char)(at[i] + *(const char *)by);
}

int main(void) {
  char first[256], second[256];
  static const char one = 1;
  int i, sum = 0;
  for (i = 0; i < 256; ++i) first[i] = (char)i;
  for (i = 0; i < 20; ++i) {
    shift(first + 5 * i, 60, (void *)&one);
    copy(first + i, second + 2 * i, 100);
    shift(second + 30, 40, (void *)&one);
  }
#pragma css barrier
  for (i = 0; i < 138; ++i) sum = (sum * 33 + (unsigned char)second[i] + first[i]) & 0xffffff;
  printf("%d\n", sum);
  return 0;
}
