// 4:11: error: the task 'f' calls itself; tasks create no tasks, so it would run alone: make a task of what it does at the end of the recursion
#pragma css task inout(a)
void f(int *a) {
  if (*a) f(a);
}
