// Functions with text. In Fortran it is as long as its variable and ends with blanks; the lengths come behind all
// other arguments.

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>

#include "binding.hpp"

namespace {

/// Without the blanks behind it.
std::string name_of(const char* text, std::size_t length) {
  const std::string_view all(text, length);
  return std::string(all.substr(0, all.find_last_not_of(' ') + 1));
}

/// Without the blanks around it, which do not count in keys and values.
std::string word_of(const char* text, std::size_t length) {
  const std::string name = name_of(text, length);
  return name.substr(std::min(name.find_first_not_of(' '), name.size()));
}

/// Fills the variable; gives how much of the text it has.
int fill(char* into, std::size_t room, std::string_view text) {
  const std::string_view some = text.substr(0, room);
  std::memcpy(into, some.data(), some.size());
  std::memset(into + some.size(), ' ', room - some.size());
  return static_cast<int>(some.size());
}

constexpr std::size_t longest = std::max({MPI_MAX_PROCESSOR_NAME, MPI_MAX_LIBRARY_VERSION_STRING, MPI_MAX_ERROR_STRING,
                                          MPI_MAX_OBJECT_NAME, MPI_MAX_INFO_KEY, MPI_MAX_INFO_VAL});

template <auto get>
int text(char* into, int* length, std::size_t room) {
  char found[longest] = "";
  const int code = get(found, length);
  if (code == MPI_SUCCESS) *length = fill(into, room, found);
  return code;
}

template <auto get>
int text_of(int object, char* into, int* length, std::size_t room) {
  char found[longest] = "";
  const int code = get(object, found, length);
  if (code == MPI_SUCCESS) *length = fill(into, room, found);
  return code;
}

template <auto set>
int set_name(int object, const char* name, std::size_t length) {
  return set(object, name_of(name, length).c_str());
}

int info_set(MPI_Info info, const char* key, const char* value, std::size_t key_length, std::size_t value_length) {
  return PMPI_Info_set(info, word_of(key, key_length).c_str(), word_of(value, value_length).c_str());
}

int info_get(MPI_Info info, const char* key, int most, char* value, int* flag, std::size_t key_length,
             std::size_t room) {
  char found[longest] = "";
  const int code =
      PMPI_Info_get(info, word_of(key, key_length).c_str(), std::min(most, MPI_MAX_INFO_VAL - 1), found, flag);
  if (code == MPI_SUCCESS && *flag) fill(value, room, found);
  return code;
}

/// Lengths are without the zero that C has behind a text.
int info_get_string(MPI_Info info, const char* key, int* length, char* value, int* flag, std::size_t key_length,
                    std::size_t room) {
  char found[longest] = "";
  int needed = longest;
  const int code = PMPI_Info_get_string(info, word_of(key, key_length).c_str(), &needed, found, flag);
  if (code != MPI_SUCCESS || !*flag) return code;
  if (*length > 0) fill(value, room, std::string_view(found).substr(0, static_cast<std::size_t>(*length)));
  *length = needed - 1;
  return code;
}

int info_create_env(MPI_Info* info) { return PMPI_Info_create_env(0, nullptr, info); }

int info_get_valuelen(MPI_Info info, const char* key, int* length, int* flag, std::size_t key_length) {
  return PMPI_Info_get_valuelen(info, word_of(key, key_length).c_str(), length, flag);
}

int info_get_nthkey(MPI_Info info, int index, char* key, std::size_t room) {
  char found[longest] = "";
  const int code = PMPI_Info_get_nthkey(info, index, found);
  if (code == MPI_SUCCESS) fill(key, room, found);
  return code;
}

int info_delete(MPI_Info info, const char* key, std::size_t key_length) {
  return PMPI_Info_delete(info, word_of(key, key_length).c_str());
}

int pack_external(const char* representation, const void* data, int count, MPI_Datatype type, void* into, MPI_Aint room,
                  MPI_Aint* at, std::size_t length) {
  return PMPI_Pack_external(name_of(representation, length).c_str(), data, count, type, into, room, at);
}
int unpack_external(const char* representation, const void* from, MPI_Aint size, MPI_Aint* at, void* data, int count,
                    MPI_Datatype type, std::size_t length) {
  return PMPI_Unpack_external(name_of(representation, length).c_str(), from, size, at, data, count, type);
}
int pack_external_size(const char* representation, int count, MPI_Datatype type, MPI_Aint* size, std::size_t length) {
  return PMPI_Pack_external_size(name_of(representation, length).c_str(), count, type, size);
}

}  // namespace

MASLIN_FORTRAN_TEXT(text<PMPI_Get_processor_name>, get_processor_name, 2, 1)
MASLIN_FORTRAN_TEXT(text<PMPI_Get_library_version>, get_library_version, 2, 1)
MASLIN_FORTRAN_TEXT(text_of<PMPI_Error_string>, error_string, 3, 1)
MASLIN_FORTRAN_TEXT(text_of<PMPI_Comm_get_name>, comm_get_name, 3, 1)
MASLIN_FORTRAN_TEXT(text_of<PMPI_Type_get_name>, type_get_name, 3, 1)
MASLIN_FORTRAN_TEXT(set_name<PMPI_Comm_set_name>, comm_set_name, 2, 1)
MASLIN_FORTRAN_TEXT(set_name<PMPI_Type_set_name>, type_set_name, 2, 1)
MASLIN_FORTRAN_TEXT(set_name<PMPI_Add_error_string>, add_error_string, 2, 1)

MASLIN_FORTRAN(PMPI_Info_create, info_create, 1)
MASLIN_FORTRAN(info_create_env, info_create_env, 1)
MASLIN_FORTRAN_TEXT(info_set, info_set, 3, 2)
MASLIN_FORTRAN_TEXT(info_get, info_get, 5, 2)
MASLIN_FORTRAN_TEXT(info_get_string, info_get_string, 5, 2)
MASLIN_FORTRAN_TEXT(info_get_valuelen, info_get_valuelen, 4, 1)
MASLIN_FORTRAN(PMPI_Info_get_nkeys, info_get_nkeys, 2)
MASLIN_FORTRAN_TEXT(info_get_nthkey, info_get_nthkey, 3, 1)
MASLIN_FORTRAN_TEXT(info_delete, info_delete, 2, 1)
MASLIN_FORTRAN(PMPI_Info_dup, info_dup, 2)
MASLIN_FORTRAN(PMPI_Info_free, info_free, 1)

MASLIN_FORTRAN_TEXT(pack_external, pack_external, 7, 1)
MASLIN_FORTRAN_TEXT(unpack_external, unpack_external, 7, 1)
MASLIN_FORTRAN_TEXT(pack_external_size, pack_external_size, 4, 1)
