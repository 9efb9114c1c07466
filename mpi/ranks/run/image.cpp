#include "image.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "elf.hpp"
#include "maslin/error.hpp"
#include "stripped.hpp"

namespace mpi {

namespace {

std::string content_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (in && std::filesystem::is_directory(path)) {
    in.setstate(std::ios::failbit);
    errno = EISDIR;
  }
  if (!in) throw maslin::error(fmt::format("{}: cannot be read ({})", path, std::strerror(errno)));
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Does the system run code of a file that is in memory only?
bool runs_from_memory(int file) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  void* const code = mmap(nullptr, page, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0);
  return code != MAP_FAILED && munmap(code, page) == 0;
}

/// A file without a name, for programs to be loaded from. Once they are, little of it is left (`share_constants`), so
/// it is in memory: nothing is written to a disk.
int unnamed_file() {
  const int file = memfd_create("rank", MFD_CLOEXEC);
  static const bool may_run = file >= 0 && runs_from_memory(file);
  if (may_run) return file;
  if (file >= 0) close(file);
  const char* const said = std::getenv("TMPDIR");
  return open(said && *said ? said : "/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0700);
}

void write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t some = ::write(file, text.data(), text.size());
    if (some < 0)
      throw maslin::error(
          fmt::format("a copy of the program cannot be written ({}): it is in memory, or in the folder that TMPDIR "
                      "names if the system runs no code from memory",
                      std::strerror(errno)));
    text.remove_prefix(static_cast<std::size_t>(some));
  }
}

/// A name of the same length that only this rank has.
std::string own_name(const std::string& library, int rank) { return fmt::format("{:0>{}}", rank, library.size()); }

link_map& map_of(void* loaded) {
  link_map* found = nullptr;
  dlinfo(loaded, RTLD_DI_LINKMAP, &found);
  return *found;
}

/// Does a debugger follow the process? It has written its breakpoints into what is loaded.
bool is_traced() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.rfind("TracerPid:", 0) == 0) return std::atoi(line.c_str() + line.find(':') + 1) != 0;
  return false;
}

/// A copy's constant parts come from that file, another copy's, from now on: memory and caches hold them once. Its own
/// file gives them back.
void share_constants(const original& of, void* copy, int own_file, int file) {
  for (const original::constant& one : of.constants()) {
    if (mmap(reinterpret_cast<void*>(map_of(copy).l_addr + one.address), one.bytes, one.protection,
             MAP_PRIVATE | MAP_FIXED, file, static_cast<off_t>(one.offset)) == MAP_FAILED)
      throw maslin::error(fmt::format("{}: a copy cannot share its code ({})", of.path(), std::strerror(errno)));
    if (one.own_bytes > 0)  // a file system that cannot do that keeps them
      fallocate(own_file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(one.own_offset),
                static_cast<off_t>(one.own_bytes));
  }
}

}  // namespace

original::original(std::string path) : path_(std::move(path)), content_(content_of(path_)) {
  try {
    const auto header = read<ElfW(Ehdr)>(content_, 0);
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) throw std::out_of_range("");
    const auto segments = read_all<ElfW(Phdr)>(content_, header.e_phoff, header.e_phentsize, header.e_phnum);
    const auto in_file = [&](std::size_t address) -> std::size_t {
      for (const auto& s : segments)
        if (s.p_type == PT_LOAD && address >= s.p_vaddr && address < s.p_vaddr + s.p_filesz)
          return address - s.p_vaddr + s.p_offset;
      throw std::out_of_range("");
    };
    for (const auto& s : segments) {
      if (s.p_type != PT_LOAD) continue;
      memory_ = std::max<std::size_t>(memory_, s.p_vaddr + s.p_memsz);
      if (s.p_filesz > 0) read<char>(content_, s.p_offset + s.p_filesz - 1);
    }
    std::vector<std::size_t> names_of_needed;
    bool is_changed = false;  // the loader writes into its code
    for (const auto& s : segments) {
      if (s.p_type != PT_DYNAMIC) continue;
      for (std::size_t at = s.p_offset;; at += sizeof(ElfW(Dyn))) {
        const auto entry = read<ElfW(Dyn)>(content_, at);
        if (entry.d_tag == DT_NULL) break;
        if (entry.d_tag == DT_STRTAB) names_ = in_file(entry.d_un.d_ptr);
        if (entry.d_tag == DT_STRSZ) names_size_ = entry.d_un.d_val;
        if (entry.d_tag == DT_NEEDED) names_of_needed.push_back(entry.d_un.d_val);
        is_changed |= entry.d_tag == DT_TEXTREL || (entry.d_tag == DT_FLAGS && (entry.d_un.d_val & DF_TEXTREL));
      }
    }
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    for (const auto& s : segments) {
      const bool has_names = names_ >= s.p_offset && names_ < s.p_offset + s.p_filesz;  // each copy has its own
      if (s.p_type != PT_LOAD || (s.p_flags & PF_W) || s.p_filesz != s.p_memsz || has_names || is_changed) continue;
      const std::size_t before = s.p_vaddr % page, own = (s.p_offset + page - 1) / page * page;
      const std::size_t end = std::max(own, (s.p_offset + s.p_filesz) / page * page);
      constants_.push_back({s.p_vaddr - before, s.p_filesz + before, s.p_offset - before,
                            (s.p_flags & PF_R ? PROT_READ : 0) | (s.p_flags & PF_X ? PROT_EXEC : 0), own, end - own});
    }
    read<char>(content_, names_ + names_size_ - 1);
    for (const std::size_t name : names_of_needed) needed_.emplace_back(content_.c_str() + names_ + name);
  } catch (const std::out_of_range&) {
    throw maslin::error(path_ +
                        ": is no program; expected one that maslin-mpicc, maslin-mpicxx or maslin-mpif90 has made. A "
                        "script that starts it goes in front of maslin-mpirun");
  }
}

std::string original::name_of_mpi() const {
  const std::string_view names(content_.data() + names_, names_size_);
  for (const std::string_view begin : {"MPI_", "mpi_"}) {
    const std::size_t at = names.find('\0' + std::string(begin));
    if (at != std::string_view::npos) return names.data() + at + 1;
  }
  return {};
}

void original::strip() { content_ = stripped(content_, std::filesystem::canonical(path_).string()); }

int original::copy(const new_names& renamed) const {
  const int file = unnamed_file();
  if (file < 0)
    throw maslin::error(
        fmt::format("no file for a copy of the program ({}); TMPDIR names the folder", std::strerror(errno)));
  write_all(file, content_);
  for (const auto& [name, by] : renamed) {
    const std::string whole = '\0' + name + '\0';
    const std::size_t at = content_.find(whole, names_);
    if (at < names_ + names_size_) pwrite(file, by.data(), by.size(), static_cast<off_t>(at + 1));
  }
  return file;
}

program::program(const std::string& path) : main(path) {
  main.strip();
  // Fortran's units, and what of their output is not written yet, are libgfortran's variables.
  for (const std::string& library : main.needed()) {
    if (library.rfind("libgfortran.so", 0) != 0) continue;
    void* const found = dlopen(library.c_str(), RTLD_LAZY | RTLD_LOCAL);
    link_map* where = nullptr;
    if (!found || dlinfo(found, RTLD_DI_LINKMAP, &where) != 0)
      throw maslin::error(fmt::format("{}: needs {}, which is not installed", path, library));
    own_libraries.emplace_back(where->l_name).strip();
    dlclose(found);
  }
}

image::image(const program& of, int rank, const image* other) {
  original::new_names renamed;
  for (const original& library : of.own_libraries) {
    const std::string name = library.path().substr(library.path().rfind('/') + 1);
    for (const std::string& needed : of.main.needed())
      if (name.rfind(needed, 0) == 0) renamed.emplace_back(needed, own_name(needed, rank));
  }
  const auto load = [&](const original& file) {
    const int copy = file.copy(renamed);
    // The loader knows what it has loaded by its name, so the descriptor stays open as long as that. A debugger reads
    // the file by that name, too: it is not one of the debugger's own. The process may have another number there than
    // its own namespace gives it.
    const std::string process = std::filesystem::read_symlink("/proc/self").string();
    void* const handle = dlopen(fmt::format("/proc/{}/fd/{}", process, copy).c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
      const std::string why = dlerror();
      close(copy);
      const bool lacks_mpi = why.find("undefined symbol: MPI_") != std::string::npos;
      const bool is_executable = why.find("cannot dynamically load") != std::string::npos;
      const char* const advice = lacks_mpi ? "; a shared library cannot call MPI: link it statically"
                                 : is_executable
                                     ? "; build it with maslin-mpicc, maslin-mpicxx or maslin-mpif90. A command that "
                                       "starts a program, as taskset does, goes in front of maslin-mpirun"
                                     : "";
      throw maslin::error(fmt::format("{}: cannot be loaded for rank {} ({}{})", file.path(), rank, why, advice));
    }
    if (other && !is_traced()) share_constants(file, handle, copy, other->all_[all_.size()].file);
    all_.push_back({handle, copy});
  };
  for (const original& library : of.own_libraries) load(library);
  load(of.main);
  const link_map& mine = map_of(all_.back().handle);
  // What has been loaded with the first copy stands behind it.
  for (const link_map* one = other ? nullptr : mine.l_next; one; one = one->l_next) {
    const std::string name = one->l_name[0] == '/' ? original(one->l_name).name_of_mpi() : "";
    if (!name.empty())
      throw maslin::error(fmt::format(
          "{}: is linked with {}, which knows {} and would be one library for all ranks; link it statically, "
          "built with maslin-mpicc",
          of.main.path(), one->l_name, name));
  }
  begin_ = reinterpret_cast<const char*>(mine.l_addr);
  end_ = begin_ + of.main.memory();
}

void* image::symbol(const char* name) const {
  void* const found = dlsym(all_.back().handle, name);
  if (!found)
    throw maslin::error(fmt::format(
        "the program has no function {}; expected one that maslin-mpicc, maslin-mpicxx or maslin-mpif90 has made",
        name));
  return found;
}

bool image::has(const char* name) const noexcept { return dlsym(all_.back().handle, name) != nullptr; }

bool image::contains(const void* address) const noexcept {
  const auto* const at = static_cast<const char*>(address);
  return at >= begin_ && at < end_;
}
std::size_t image::offset(const void* address) const noexcept {
  return static_cast<std::size_t>(static_cast<const char*>(address) - begin_);
}

void image::unload() {
  while (!all_.empty()) {
    dlclose(all_.back().handle);
    close(all_.back().file);
    all_.pop_back();
  }
}

}  // namespace mpi
