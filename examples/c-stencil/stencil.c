// Heat on a square plate: each step sets every point to the mean of its four neighbours. A task updates some rows; it
// says that it reads one row more on each side, and Maslin finds out which tasks must wait for which. Two steps are
// recorded and replayed.

#include <maslin/maslin.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { extent = 514, parts = 8, rows_of_part = (extent - 2) / parts, pairs_of_steps = 50 };

typedef struct plate {
  double at[extent][extent];
} plate;

typedef struct two_plates {
  plate* now;
  plate* next;
} two_plates;

static void must(int status) {
  if (status == MASLIN_OK) return;
  fprintf(stderr, "%s\n", maslin_error_message());
  exit(2);
}

/// Updates rows. The data may lie elsewhere than where the program declared it, so a body uses its views only.
static int update(void* arguments, const maslin_view* views) {
  const double(*from)[extent] = views[0].data;  // begins a row earlier than `to`
  double(*to)[extent] = views[1].data;
  const int64_t rows = views[1].rows / extent;
  (void)arguments;
  for (int64_t i = 0; i < rows; ++i) {
    to[i][0] = to[i][extent - 1] = 0;
    for (int k = 1; k < extent - 1; ++k)
      to[i][k] = (from[i][k] + from[i + 2][k] + from[i + 1][k - 1] + from[i + 1][k + 1]) / 4;
  }
  return 0;
}

static int step(plate* from, plate* to) {
  for (int part = 0; part < parts; ++part) {
    const int first = 1 + part * rows_of_part;
    const int status = maslin_task(update, MASLIN_NO_ARGUMENTS,
                                   MASLIN_ACCESSES(maslin_in(from->at[first - 1], (rows_of_part + 2) * extent),
                                                   maslin_out(to->at[first], rows_of_part * extent)),
                                   NULL);
    if (status != MASLIN_OK) return status;
  }
  return 0;
}

static int two_steps(void* env) {
  two_plates* plates = env;
  const int status = step(plates->now, plates->next);
  return status != MASLIN_OK ? status : step(plates->next, plates->now);
}

int main(void) {
  const double pi = acos(-1), width = extent - 1;
  two_plates plates = {calloc(1, sizeof(plate)), calloc(1, sizeof(plate))};
  if (!plates.now || !plates.next) return 2;
  for (int i = 1; i < extent - 1; ++i)
    for (int k = 1; k < extent - 1; ++k) plates.now->at[i][k] = sin(pi * i / width) * sin(pi * k / width);

  maslin_recording* steps;
  must(maslin_record(two_steps, &plates, &steps));  // runs them, too
  for (int i = 1; i < pairs_of_steps; ++i) must(maslin_replay(steps, NULL, 0));
  must(maslin_recording_destroy(steps));

  // Each step multiplies this distribution by cos(pi / width).
  const double expected = pow(cos(pi / width), 2 * pairs_of_steps);
  double error = 0;
  for (int i = 1; i < extent - 1; ++i)
    for (int k = 1; k < extent - 1; ++k)
      error = fmax(error, fabs(plates.now->at[i][k] - expected * sin(pi * i / width) * sin(pi * k / width)));
  if (!(error < 1e-12)) {
    printf("wrong: a point is off by %g\n", error);
    return 1;
  }
  printf("%d steps: the middle of the plate cooled to %.6f\n", 2 * pairs_of_steps,
         plates.now->at[extent / 2][extent / 2]);
  int workers = 0;
  must(maslin_workers(&workers));
  printf("computed by %d workers\n", workers);
  free(plates.now);
  free(plates.next);
  return 0;
}
