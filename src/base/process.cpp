#include <sys/utsname.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "maslin/run_report.hpp"

namespace maslin {

process_space this_process_space() {
  process_space here;
  if (utsname names{}; uname(&names) == 0) here.host = names.nodename;
  char link[64];
  if (const ssize_t bytes = readlink("/proc/self/ns/pid", link, sizeof link); bytes > 0)
    here.numbers.assign(link, static_cast<std::size_t>(bytes));
  return here;
}

std::uint64_t process_start(std::int64_t process) {
  std::ifstream in("/proc/" + std::to_string(process) + "/stat");
  std::string text;
  if (!std::getline(in, text, '\0')) return 0;
  // The second field, the command, may hold anything; the third is the state, the 22nd the start.
  const std::size_t end = text.rfind(')');
  if (end == std::string::npos) return 0;
  std::istringstream fields(text.substr(end + 1));
  std::string field;
  fields >> field;
  if (field == "Z" || field == "X") return 0;  // dead, and nobody has asked for its status yet
  for (int number = 4; number <= 22; ++number) fields >> field;
  return fields ? std::strtoull(field.c_str(), nullptr, 10) : 0;
}

}  // namespace maslin
