#pragma once
// What tests of ranks share.

#include <string>

#include "executors.hpp"

/// On a described machine a rank that asks keeps its worker (docs/ranks.md).
class PromiseOfRanks : public Promise {
 protected:
  static bool may_ask() { return !GetParam().described; }
};

/// Gives the message of the error that a call throws; empty where it throws none.
template <class Call>
std::string what_it_throws(Call&& call) {
  try {
    call();
  } catch (const ms::error& e) {
    return e.what();
  }
  return "";
}
