/* Structs by value and in arrays, functions as arguments, constant values, an enum, a union. */
#include <stdio.h>
#include <string.h>

struct weights {
  double of[3];
  char name[8];
};
typedef struct {
  int id;
  float value;
} record;
enum how { plain, squared };
union number {
  long whole;
  double real;
};

static double twice(double x) { return 2 * x; }
static double square(double x) { return x * x; }

#pragma css task input(by, how, offset) inout(all[count])
void weigh(record *all, const int count, struct weights by, double (*with)(double), enum how how, union number offset) {
  int i;
  for (i = 0; i < count; ++i)
    all[i].value += (float)(with(by.of[all[i].id % 3]) * (how == squared ? 2 : 1) + offset.real + strlen(by.name));
}

int main(void) {
  static record all[4][100];
  struct weights by = {{1, 2, 3}, "abc"};
  union number offset;
  int step, i, k;
  double sum = 0;
  for (k = 0; k < 4; ++k)
    for (i = 0; i < 100; ++i) all[k][i].id = i + k;
  for (step = 0; step < 3; ++step) {
    offset.real = step;
    for (k = 0; k < 4; ++k) weigh(all[k], 100, by, step % 2 ? twice : square, step ? squared : plain, offset);
    by.of[1] += 0.5; /* the tasks have their own copies */
    strcpy(by.name, "x");
  }
#pragma css barrier
  for (k = 0; k < 4; ++k)
    for (i = 0; i < 100; ++i) sum += all[k][i].value * (i + 1);
  printf("%.3f\n", sum);
  return 0;
}
