// Each copy has an ELF note, which says where the copy's state is, relative to the note itself: it needs no relocation,
// no exported symbol, no descriptor and no environment. The dynamic loader's list of what is loaded leads to all of
// them; a program that is linked statically has that list, too.

#include "machine/copies.hpp"

#include <link.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string_view>

namespace {

/// What a note of this type leads to, in every version of Maslin: another meaning needs another type.
struct copy_state {
  std::atomic<std::uint32_t> workers;  ///< of its runtime; 0 where none runs
  std::atomic<std::uint32_t> told;     ///< the user knows that there are several
};

}  // namespace

extern "C" {
// By this name the note finds it; hidden, so that each copy has its own.
[[gnu::visibility("hidden"), gnu::used]] copy_state maslin_state_of_this_copy;
}

asm(R"(
  .pushsection .note.maslin, "a", %note
  .balign 4
  .long 7
  .long 8
  .long 1
  .asciz "Maslin"
  .balign 4
  .quad maslin_state_of_this_copy - .
  .popsection
)");

namespace maslin::machine {

namespace {

constexpr std::string_view note_name{"Maslin", sizeof "Maslin"};  // with the 0 at its end, as notes have it
constexpr std::uint32_t note_type = 1;

struct file_name {
  char text[512] = "the program";  // whose name is empty in the list

  void set(const char* name) noexcept {
    if (*name) std::snprintf(text, sizeof text, "%s", name);
  }
};

struct search {
  std::uint32_t workers = 0;  ///< those of this copy, from now on
  file_name here;
  file_name elsewhere;
  std::uint32_t workers_elsewhere = 0;
  bool told = false;
};

/// Gives whether the segment is in memory: one that is not loaded has no address.
bool is_loaded(const dl_phdr_info& object, const ElfW(Phdr) & segment) noexcept {
  for (int i = 0; i < object.dlpi_phnum; ++i) {
    const ElfW(Phdr)& whole = object.dlpi_phdr[i];
    if (whole.p_type == PT_LOAD && segment.p_vaddr >= whole.p_vaddr &&
        segment.p_vaddr + segment.p_memsz <= whole.p_vaddr + whole.p_memsz)
      return true;
  }
  return false;
}

/// Calls `see(state)` for each copy in a segment of notes.
template <class See>
void each_copy(const char* notes, std::size_t bytes, std::size_t alignment, See&& see) noexcept {
  const auto aligned = [alignment](std::size_t offset) { return (offset + alignment - 1) / alignment * alignment; };
  for (std::size_t at = 0; at + sizeof(ElfW(Nhdr)) <= bytes;) {
    ElfW(Nhdr) head;
    std::memcpy(&head, notes + at, sizeof head);
    const std::size_t name = at + sizeof head;
    const std::size_t content = aligned(name + head.n_namesz);
    if (content + head.n_descsz > bytes) return;
    std::int64_t offset;
    if (head.n_type == note_type && std::string_view(notes + name, head.n_namesz) == note_name &&
        head.n_descsz == sizeof offset) {
      std::memcpy(&offset, notes + content, sizeof offset);
      see(*reinterpret_cast<copy_state*>(reinterpret_cast<std::uintptr_t>(notes) + content +
                                         static_cast<std::uintptr_t>(offset)));
    }
    at = aligned(content + head.n_descsz);
  }
}

/// Called for each object, all under a lock of the loader: of two copies that start at the same time one is first, and
/// the other sees it. So relaxed will do.
int look_into(dl_phdr_info* object, std::size_t, void* into) noexcept {
  search& all = *static_cast<search*>(into);
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = object->dlpi_phdr[i];
    if (segment.p_type != PT_NOTE || !is_loaded(*object, segment)) continue;
    const auto* notes = reinterpret_cast<const char*>(object->dlpi_addr + segment.p_vaddr);
    each_copy(notes, segment.p_memsz, segment.p_align == 8 ? 8 : 4, [&](copy_state& copy) {
      if (copy.told.load(std::memory_order_relaxed)) all.told = true;
      if (&copy == &maslin_state_of_this_copy) {
        copy.workers.store(all.workers, std::memory_order_relaxed);
        all.here.set(object->dlpi_name);
      } else if (const std::uint32_t workers = copy.workers.load(std::memory_order_relaxed)) {
        all.workers_elsewhere = workers;
        all.elsewhere.set(object->dlpi_name);
      }
    });
  }
  return 0;
}

}  // namespace

void announce_workers(int workers) noexcept {
  copy_state& own = maslin_state_of_this_copy;
  if (workers == 0) return own.workers.store(0, std::memory_order_relaxed);
  search all;
  all.workers = static_cast<std::uint32_t>(workers);
  dl_iterate_phdr(look_into, &all);
  if (all.workers_elsewhere == 0 || all.told) return;
  own.told.store(1, std::memory_order_relaxed);
  std::fprintf(stderr,
               "maslin: two copies of Maslin run in this process: one in %s with %u workers, one in %s with %u more. "
               "Neither knows of the other, so they may use more CPUs than the process has: link one only, or give "
               "each its part of the workers (ms::Runtime, maslin_begin)\n",
               all.elsewhere.text, all.workers_elsewhere, all.here.text, all.workers);
}

}  // namespace maslin::machine
