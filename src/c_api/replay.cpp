// Recordings as C sees them.

#include "maslin/replay.hpp"

#include <optional>
#include <string>
#include <vector>

#include "c_api/boundary.hpp"

struct maslin_recording {
  maslin::recording tasks;
};

namespace maslin::c_api {

namespace {

maslin_recording* record(maslin_location where, int (*create)(void*), void* env) {
  expect(create, "create is NULL: expected a function");
  c_body kept{create, env, "what was recorded", where};
  return new maslin_recording{detail::record(run_body, &kept, place(where))};
}

void replay(maslin_location where, maslin_recording* recording, const maslin_rebinding* instead, int count) {
  expect(recording, "recording is NULL: expected one of maslin_record");
  if (count < 0) throw bad_argument("count = " + std::to_string(count) + ": expected 0 or more");
  expect(instead || count == 0, "instead is NULL, and count is not 0: expected the data to replay on");
  std::vector<rebinding> all;
  all.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    const maslin_rebinding& r = instead[i];
    if (!r.from || !r.to)
      throw bad_argument("instead[" + std::to_string(i) + "]." + (r.from ? "to" : "from") +
                         " is NULL: expected where the data lies");
    all.push_back({r.from, r.bytes, r.to, r.bytes});
  }
  detail::replay(recording->tasks, all, place(where));
}

}  // namespace

}  // namespace maslin::c_api

using namespace maslin::c_api;

int maslin_record_at(maslin_location where, int (*create)(void* env), void* env, maslin_recording** recording) {
  return guarded("maslin_record", where, [&] {
    expect(recording, "recording is NULL: expected where to put it");
    *recording = nullptr;
    *recording = record(where, create, env);
  });
}

int maslin_replay_at(maslin_location where, maslin_recording* recording, const maslin_rebinding* instead, int count) {
  return guarded_wait("maslin_replay", where, [&] { replay(where, recording, instead, count); });
}

int maslin_recording_destroy_at(maslin_location where, maslin_recording* recording) {
  return guarded("maslin_recording_destroy", where, [&] { delete recording; });
}
