#pragma once
// The whole promise to C++ users, one header a noun.

#include "maslin/access.hpp"
#include "maslin/async.hpp"
#include "maslin/cost.hpp"
#include "maslin/error.hpp"
#include "maslin/fork.hpp"
#include "maslin/group.hpp"
#include "maslin/location.hpp"
#include "maslin/loop.hpp"
#include "maslin/mutex.hpp"
#include "maslin/offload.hpp"
#include "maslin/phase.hpp"
#include "maslin/priority.hpp"
#include "maslin/ranks.hpp"
#include "maslin/replay.hpp"
#include "maslin/runtime.hpp"
#include "maslin/task.hpp"
