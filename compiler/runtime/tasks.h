// What translated programs call. maslin-cc writes these declarations into each of them (translate.cpp), since a program
// may be C90 and need not see maslin.h. Linked with the program is tasks.c, or check.c after `maslin-cc --check`.

#ifndef MASLIN_COMPILER_RUNTIME_TASKS_H
#define MASLIN_COMPILER_RUNTIME_TASKS_H

#include "declarations.inc"

#endif
