// Checks that say where they stand and what they found. They may stand in bodies.

#ifndef MASLIN_TESTS_C_API_CHECK_H
#define MASLIN_TESTS_C_API_CHECK_H

#include <maslin/maslin.h>
#include <stdint.h>

/// Each prints what it found if it is not what was expected, and counts.
void check_true_at(const char* file, int line, const char* text, int holds);
void check_int_at(const char* file, int line, const char* text, int64_t found, int64_t expected);
void check_double_at(const char* file, int line, const char* text, double found, double expected);
void check_text_at(const char* file, int line, const char* found, const char* part);

#define CHECK(condition) check_true_at(__FILE__, __LINE__, #condition, (condition) != 0)
#define CHECK_INT(found, expected) check_int_at(__FILE__, __LINE__, #found, (found), (expected))
/// The same to the last bit.
#define CHECK_DOUBLE(found, expected) check_double_at(__FILE__, __LINE__, #found, (found), (expected))
/// A call that is good.
#define CHECK_GOOD(call) check_int_at(__FILE__, __LINE__, #call, (call), MASLIN_OK)
/// A call that fails with this status, whose message contains this part.
#define CHECK_FAILS(call, status, part)                              \
  do {                                                               \
    check_int_at(__FILE__, __LINE__, #call, (call), (status));       \
    check_text_at(__FILE__, __LINE__, maslin_error_message(), part); \
  } while (0)

/// Gives the number of checks that failed so far.
int failed_checks(void);

/// Long enough for others to overtake a task that does not hold them back.
void dawdle(void);

void test_tasks(void);
void test_data(void);
void test_loops(void);
void test_phases(void);
void test_replays(void);
void test_errors(void);
void test_bad_arguments(void);
void test_process(void);
/// With MASLIN_CHECK=1.
void test_writes_through_in(void);
/// Leaves a task that failed, for the end of the runtime to say so.
void leave_unobserved(void);

#endif
