#pragma once

#include <string>
#include <utility>

#include "maslin/error.hpp"

/// Gives the message of the error that a call throws; empty where it throws none.
template <class Call>
std::string complaint(Call&& call) {
  try {
    std::forward<Call>(call)();
  } catch (const maslin::error& e) {
    return e.what();
  }
  return "";
}
