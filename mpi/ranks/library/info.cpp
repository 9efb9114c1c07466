// Hints of a program. They are kept and have no effect. Programs may also have them before MPI_Init and after
// MPI_Finalize.

#include <algorithm>
#include <cstring>
#include <string>

#include "state.hpp"

using namespace mpi;

namespace {

info& info_of(MPI_Info handle) {
  info* const found = me.infos.find(handle);
  if (!found) throw failure{MPI_ERR_INFO, "there is no info object " + std::to_string(handle)};
  return *found;
}

info::iterator find(info& in, const char* key) {
  return std::find_if(in.begin(), in.end(), [key](const auto& one) { return one.first == key; });
}

void expect_key(const char* key) {
  expect_pointer(key, "the key");
  if (std::strlen(key) >= MPI_MAX_INFO_KEY) throw failure{MPI_ERR_INFO_KEY, "the key is too long"};
}

}  // namespace

MASLIN_MPI_DEFINE(Info_create, (MPI_Info * made)) {
  return carry_out_always(MASLIN_MPI_CALL(Info_create), [&] { *made = me.infos.add(std::make_shared<info>()); });
}
MASLIN_MPI_DEFINE(Info_create_env, (int, char**, MPI_Info* made)) { return PMPI_Info_dup(MPI_INFO_ENV, made); }
MASLIN_MPI_DEFINE(Info_set, (MPI_Info handle, const char* key, const char* value)) {
  return carry_out_always(MASLIN_MPI_CALL(Info_set), [&] {
    expect_key(key);
    if (std::strlen(value) >= MPI_MAX_INFO_VAL) throw failure{MPI_ERR_INFO_VALUE, "the value is too long"};
    info& in = info_of(handle);
    const auto found = find(in, key);
    if (found == in.end())
      in.emplace_back(key, value);
    else
      found->second = value;
  });
}
MASLIN_MPI_DEFINE(Info_get, (MPI_Info handle, const char* key, int room, char* value, int* flag)) {
  return carry_out_always(MASLIN_MPI_CALL(Info_get), [&] {
    expect_key(key);
    const auto found = find(info_of(handle), key);
    *flag = found != info_of(handle).end();
    if (!*flag) return;
    const std::size_t length = std::min(found->second.size(), static_cast<std::size_t>(std::max(0, room)));
    std::memcpy(value, found->second.data(), length);
    value[length] = '\0';
  });
}
MASLIN_MPI_DEFINE(Info_get_string, (MPI_Info handle, const char* key, int* room, char* value, int* flag)) {
  return carry_out_always(MASLIN_MPI_CALL(Info_get_string), [&] {
    expect_key(key);
    expect_pointer(room, "the length");
    const auto found = find(info_of(handle), key);
    *flag = found != info_of(handle).end();
    if (!*flag) return;
    const std::string& its = found->second;
    if (*room > 0) {
      const std::size_t length = std::min(its.size(), static_cast<std::size_t>(*room - 1));
      std::memcpy(value, its.data(), length);
      value[length] = '\0';
    }
    *room = static_cast<int>(its.size() + 1);
  });
}
MASLIN_MPI_DEFINE(Info_get_valuelen, (MPI_Info handle, const char* key, int* length, int* flag)) {
  return carry_out_always(MASLIN_MPI_CALL(Info_get_valuelen), [&] {
    expect_key(key);
    const auto found = find(info_of(handle), key);
    *flag = found != info_of(handle).end();
    if (*flag) *length = static_cast<int>(found->second.size());
  });
}
MASLIN_MPI_DEFINE(Info_get_nkeys, (MPI_Info handle, int* count)) {
  return carry_out_always(MASLIN_MPI_CALL(Info_get_nkeys), [&] { *count = static_cast<int>(info_of(handle).size()); });
}
MASLIN_MPI_DEFINE(Info_get_nthkey, (MPI_Info handle, int index, char* key)) {
  return carry_out_always(MASLIN_MPI_CALL(Info_get_nthkey), [&] {
    const info& all = info_of(handle);
    if (index < 0 || static_cast<std::size_t>(index) >= all.size())
      throw failure{MPI_ERR_ARG, "there is no key number " + std::to_string(index)};
    std::strcpy(key, all[static_cast<std::size_t>(index)].first.c_str());
  });
}
MASLIN_MPI_DEFINE(Info_delete, (MPI_Info handle, const char* key)) {
  return carry_out_always(MASLIN_MPI_CALL(Info_delete), [&] {
    expect_key(key);
    info& in = info_of(handle);
    const auto found = find(in, key);
    if (found == in.end()) throw failure{MPI_ERR_INFO_NOKEY, std::string("there is no key ") + key};
    in.erase(found);
  });
}
MASLIN_MPI_DEFINE(Info_dup, (MPI_Info handle, MPI_Info* made)) {
  return carry_out_always(MASLIN_MPI_CALL(Info_dup),
                          [&] { *made = me.infos.add(std::make_shared<info>(info_of(handle))); });
}
MASLIN_MPI_DEFINE(Info_free, (MPI_Info * handle)) {
  return carry_out_always(MASLIN_MPI_CALL(Info_free), [&] {
    expect_pointer(handle, "the info object");
    info_of(*handle);
    me.infos.remove(*handle);
    *handle = MPI_INFO_NULL;
  });
}
