// Stands in for a library with threads of its own: exports what the real one does and keeps a number. FAKE_... says
// which one it is; LIMIT_OF_THE_THREAD whose the number is.

#ifdef LIMIT_OF_THE_THREAD
static _Thread_local int limit = 5;
#else
static _Atomic int limit = 5;
#endif

#ifdef FAKE_OPENBLAS
int openblas_get_parallel(void) { return FAKE_OPENBLAS; }
const char* openblas_get_config(void) { return "OpenBLAS 9.9.9 NO_LAPACKE Prescott MAX_THREADS=64"; }
int openblas_get_num_threads(void) { return limit; }
static _Atomic int of_the_process = 5;
void openblas_set_num_threads(int threads) { of_the_process = limit = threads; }
int openblas_set_num_threads_local(int threads) {
  const int before = limit;
  limit = threads;
  return before;
}
int fake_limit(void) { return limit; }
int fake_limit_of_the_process(void) { return of_the_process; }
#endif

#ifdef FAKE_BLIS
long bli_thread_get_num_threads(void) { return limit; }
void bli_thread_set_num_threads(long threads) { limit = (int)threads; }
const char* bli_info_get_version_str(void) { return "9.9"; }
int fake_limit(void) { return limit; }
#endif

#ifdef FAKE_MKL
// 0: there is none for the thread, so that the process's counts.
static _Thread_local int local;
int MKL_Set_Num_Threads_Local(int threads) {
  const int before = local;
  local = threads;
  return before;
}
int fake_limit(void) { return local > 0 ? local : limit; }
#endif
