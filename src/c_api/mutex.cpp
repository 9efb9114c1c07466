// Locks as C sees them.

#include "maslin/mutex.hpp"

#include "c_api/boundary.hpp"

struct maslin_mutex {
  maslin::mutex lock;
};

namespace {

maslin::mutex& lock_of(maslin_mutex* mutex) {
  maslin::c_api::expect(mutex, "mutex is NULL: expected one of maslin_mutex_create");
  return mutex->lock;
}

}  // namespace

using namespace maslin::c_api;

int maslin_mutex_create_at(maslin_location where, maslin_mutex** mutex) {
  return guarded("maslin_mutex_create", where, [&] {
    expect(mutex, "mutex is NULL: expected where to put it");
    *mutex = nullptr;
    *mutex = new maslin_mutex;
  });
}

int maslin_mutex_lock_at(maslin_location where, maslin_mutex* mutex) {
  return guarded("maslin_mutex_lock", where, [&] { lock_of(mutex).lock(); });
}

int maslin_mutex_try_lock_at(maslin_location where, maslin_mutex* mutex, int* held) {
  return guarded("maslin_mutex_try_lock", where, [&] {
    expect(held, "held is NULL: expected where to put whether the mutex is held now");
    *held = lock_of(mutex).try_lock();
  });
}

int maslin_mutex_unlock_at(maslin_location where, maslin_mutex* mutex) {
  return guarded("maslin_mutex_unlock", where, [&] { lock_of(mutex).unlock(); });
}

int maslin_mutex_destroy_at(maslin_location where, maslin_mutex* mutex) {
  return guarded("maslin_mutex_destroy", where, [&] { delete mutex; });
}
