#pragma once
// A test in a process of its own.

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cstdlib>

/// The test's own process, also in its children.
inline const pid_t test_process = getpid();

/// In a forked child: it ends when its parent does, however that ends.
inline void end_with(pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);  // it has just ended
}

/// Runs `body` in a process of its own, which ends with what `body` returns; EXPECT_EXIT sees status and stderr.
#define EXPECT_CHILD(body, status, message) \
  EXPECT_EXIT((end_with(test_process), std::exit((body)())), testing::ExitedWithCode(status), message)
