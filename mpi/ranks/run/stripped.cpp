#include "stripped.hpp"

#include <elf.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "elf.hpp"

namespace mpi {

namespace {

using crc_tables = std::array<std::array<std::uint32_t, 256>, 8>;

/// Of the CRC-32 of IEEE 802.3, for eight bytes at a time: [i][b] is what byte b adds i bytes further on (Kounavis and
/// Berry, 2005).
constexpr crc_tables tables = [] {
  crc_tables all{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t rest = byte;
    for (int bit = 0; bit < 8; ++bit) rest = rest >> 1 ^ (rest & 1 ? 0xedb88320 : 0);
    all[0][byte] = rest;
  }
  for (std::size_t i = 1; i < all.size(); ++i)
    for (std::size_t byte = 0; byte < 256; ++byte)
      all[i][byte] = all[i - 1][byte] >> 8 ^ all[0][all[i - 1][byte] & 0xff];
  return all;
}();

std::uint32_t crc_of(std::string_view text) {
  std::uint32_t crc = ~0U;
  for (; text.size() >= 8; text.remove_prefix(8)) {
    std::uint64_t some;
    std::memcpy(&some, text.data(), 8);  // little-endian, as all of these machines are
    some ^= crc;
    crc = 0;
    for (std::size_t i = 0; i < 8; ++i) crc ^= tables[7 - i][some >> 8 * i & 0xff];
  }
  for (const char one : text) crc = crc >> 8 ^ tables[0][(crc ^ static_cast<unsigned char>(one)) & 0xff];
  return ~crc;
}

struct section_table {
  std::vector<ElfW(Shdr)> sections;
  std::string names;
};

/// Nothing if there is none, or it is damaged: it is not needed to load the file.
section_table sections_of(const std::string& content, const ElfW(Ehdr) & header) try {
  section_table found{read_all<ElfW(Shdr)>(content, header.e_shoff, header.e_shentsize, header.e_shnum), {}};
  const auto& names = found.sections.at(header.e_shstrndx);
  read<char>(content, names.sh_offset + names.sh_size - 1);
  found.names = content.substr(names.sh_offset, names.sh_size);
  return found;
} catch (const std::out_of_range&) {
  return {};
}

}  // namespace

std::string stripped(const std::string& content, const std::string& path) {
  auto header = read<ElfW(Ehdr)>(content, 0);
  std::size_t loaded = sizeof header;
  for (const auto& segment : read_all<ElfW(Phdr)>(content, header.e_phoff, header.e_phentsize, header.e_phnum))
    if (segment.p_type == PT_LOAD) loaded = std::max<std::size_t>(loaded, segment.p_offset + segment.p_filesz);
  section_table all = sections_of(content, header);
  std::vector<ElfW(Shdr)>& sections = all.sections;
  for (auto& section : sections)
    if (!(section.sh_flags & SHF_ALLOC)) section = {};  // those that stay keep their numbers
  if (sections.empty()) sections.emplace_back();        // number 0 stands for none
  std::string made = content.substr(0, loaded);
  const auto append = [&](const char* name, ElfW(Word) type, const std::string& text) {
    made.resize((made.size() + 7) / 8 * 8);
    ElfW(Shdr) section{};
    section.sh_name = static_cast<ElfW(Word)>(all.names.find('\0' + std::string(name) + '\0') + 1);
    section.sh_type = type;
    section.sh_offset = made.size();
    section.sh_size = text.size();
    section.sh_addralign = 4;
    sections.push_back(section);
    made += text;
  };
  all.names += std::string("\0.gnu_debuglink\0.shstrtab", 25) + '\0';
  std::string link = "../../.." + path;  // from the folder of a process's descriptors
  link.resize((link.size() + 4) / 4 * 4);
  const std::uint32_t crc = crc_of(content);
  append(".gnu_debuglink", SHT_PROGBITS, link.append(reinterpret_cast<const char*>(&crc), sizeof crc));
  append(".shstrtab", SHT_STRTAB, all.names);
  made.resize((made.size() + 7) / 8 * 8);
  header.e_shoff = made.size();
  header.e_shentsize = sizeof(ElfW(Shdr));
  header.e_shnum = static_cast<ElfW(Half)>(sections.size());
  header.e_shstrndx = static_cast<ElfW(Half)>(sections.size() - 1);
  std::memcpy(made.data(), &header, sizeof header);
  return made.append(reinterpret_cast<const char*>(sections.data()), sections.size() * sizeof sections[0]);
}

}  // namespace mpi
