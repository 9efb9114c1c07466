// Sharing a node as C sees it.

#include "maslin/node.h"

#include "maslin/node.hpp"

void maslin_lend(void) { maslin::lend(); }
void maslin_reclaim(void) { maslin::reclaim(); }
