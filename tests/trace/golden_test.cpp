// A trace of format version 1 that was recorded once says today what it said then.

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "trace_export.hpp"
#include "trace_info.hpp"

namespace {

std::string path(const std::string& name) { return TRACE_TESTDATA "/" + name; }

std::string content(const std::string& name) {
  std::ifstream in(path(name), std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

TEST(GoldenTrace, GivesTheSameFigures) {
  const maslin::trace::file trace(path("fungi-v1.mtrace"));
  EXPECT_EQ(info_json(trace, figures_of(trace)), content("fungi-v1.info.json"));
}

TEST(GoldenTrace, GivesTheSameIntervals) {
  EXPECT_EQ(spans_json(maslin::trace::file(path("fungi-v1.mtrace")), 0), content("fungi-v1.spans.json"));
}

}  // namespace
