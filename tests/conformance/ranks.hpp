#pragma once
// What tests of ranks share.

#include "complaint.hpp"
#include "executors.hpp"

/// On a described machine a rank that asks keeps its worker (docs/ranks.md).
class PromiseOfRanks : public Promise {
 protected:
  static bool may_ask() { return !GetParam().described; }
};
