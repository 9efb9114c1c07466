#pragma once
// What tests of ranks share.

#include "complaint.hpp"
#include "executors.hpp"
