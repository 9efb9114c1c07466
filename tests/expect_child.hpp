#pragma once
// A test in a process of its own.

#include <gtest/gtest.h>

#include <cstdlib>

/// Runs `body` in a process of its own, which ends with what `body` returns; EXPECT_EXIT sees status and stderr.
#define EXPECT_CHILD(body, status, message) EXPECT_EXIT(std::exit((body)()), testing::ExitedWithCode(status), message)
