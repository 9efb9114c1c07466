#include "run_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>

#include "json_text.hpp"
#include "maslin/error.hpp"
#include "maslin/run_report.hpp"
#include "output.hpp"

namespace {

using nlohmann::json;

maslin::configuration configuration_of(const json& from) {
  return {from.at("streams").get<int>(), from.at("width").get<int>(), from.at("wider").get<int>()};
}

/// JSON has no word for what is no number.
double number_of(const json& from) { return from.is_null() ? 0 : from.get<double>(); }

/// Gives it with as many digits as a trace holds, so that both say the same.
double throughput_of(const json& from) { return static_cast<float>(number_of(from)); }

void read_estimates(phase_decisions& p, const json& from) {
  p.unit = from.at("unit").get<std::string>();
  for (const json& choice : from.at("choices"))
    p.choices.push_back({configuration_of(choice.at("what")), throughput_of(choice.at("expected"))});
  for (const json& e : from.at("estimates")) {
    const json& error = e.at("error");
    p.estimates.push_back({configuration_of(e.at("under")), throughput_of(e.at("throughput")),
                           error.is_null() ? std::nullopt : std::optional(throughput_of(error)),
                           e.at("samples").get<int>()});
  }
}

phase_decisions phase_of(const json& from) {
  phase_decisions p;
  p.name = from.at("name").get<std::string>();
  p.times = from.at("times").get<std::int64_t>();
  p.streams = from.at("streams").get<std::uint64_t>();
  p.done = from.at("done").get<std::int64_t>();
  p.running = from.at("running").get<bool>();
  p.ns = static_cast<std::int64_t>(number_of(from.at("seconds")) * 1e9);
  if (const json& cpu = from.at("cpu_seconds"); !cpu.is_null())
    p.cpu_ns = static_cast<std::int64_t>(cpu.get<double>() * 1e9);
  p.current = configuration_of(from.at("current"));
  p.policy = from.at("policy").get<std::string>();
  p.pinned_by = from.at("pinned_by").get<std::string>();
  p.waiting = from.at("waiting").get<std::string>();
  p.waiting_reason = from.at("waiting_reason").get<std::string>();
  p.loop_master = from.value("loop_master", "");
  p.in_place = p.policy.empty() && p.pinned_by.empty();
  const json& chosen = from.at("chosen");
  if (!p.pinned_by.empty())
    p.chosen = p.current;
  else if (!p.in_place && !chosen.is_null())
    p.chosen = configuration_of(chosen);
  read_estimates(p, from);
  return p;
}

process_state::life life_of(const json& from) {
  using enum process_state::life;
  if (from.at("ended").get<bool>()) return ended;
  const maslin::process_space here = maslin::this_process_space();
  if (from.at("host").get<std::string>() != here.host || from.at("numbers").get<std::string>() != here.numbers)
    return unknown;
  const std::uint64_t start = maslin::process_start(from.at("process").get<std::int64_t>());
  return start != 0 && start == from.at("process_start").get<std::uint64_t>() ? runs : killed;
}

std::string name_of_signal(int number) {
  if (number == 0) return {};
  const char* const name = sigabbrev_np(number);
  return name ? fmt::format("SIG{}", name) : std::to_string(number);
}

explanation explanation_of(const json& from) {
  explanation all;
  all.program = from.at("program").get<std::string>();
  all.workers = from.at("workers").get<int>();
  all.seconds = number_of(from.at("seconds"));
  process_state& process = all.report_of.emplace();
  process.process = from.at("process").get<std::int64_t>();
  process.host = from.at("host").get<std::string>();
  process.machine = from.at("machine").get<std::string>();
  process.described = from.at("described").get<bool>();
  process.is = life_of(from);
  process.signal = name_of_signal(from.value("signal", 0));
  process.began = from.at("began").get<double>();
  process.written = from.at("written").get<double>();
  for (const json& l : from.at("libraries"))
    all.libraries.push_back({l.at("name").get<std::string>(), l.at("process_wide").get<bool>()});
  if (from.contains("place")) {
    const json& p = from.at("place");
    const json& error = p.at("error");
    all.place = {p.at("now").get<std::string>(), p.at("decided").get<bool>(), p.at("pairs").get<int>(),
                 number_of(p.at("ratio")), error.is_null() ? std::nullopt : std::optional(error.get<double>())};
  }
  for (const json& p : from.at("phases")) all.phases.push_back(phase_of(p));
  return all;
}

std::optional<std::string> content_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(in), {});
}

}  // namespace

explanation read_run_report(const std::string& path) {
  const auto text = content_of(path);
  if (!text) throw maslin::error(fmt::format("the report '{}' cannot be read: {}", path, std::strerror(errno)));
  try {
    const json from = json::parse(*text);
    constexpr int version = 2;
    if (const int found = from.at("maslin_report").get<int>(); found != version)
      throw maslin::error(
          fmt::format("the report '{}' is of version {}, expected {}: read it with the maslin that the "
                      "program was built with",
                      path, found, version));
    return explanation_of(from);
  } catch (const json::exception& e) {
    throw maslin::error(
        fmt::format("the report '{}' is damaged: {}; expected is what a program writes as its report "
                    "(JSON that begins with \"maslin_report\"): run it again",
                    path, e.what()));
  }
}

known_runs look_for_runs() {
  known_runs all;
  all.folder = maslin::run_reports_folder();
  std::error_code none;
  for (const auto& file : std::filesystem::directory_iterator(all.folder, none)) {
    if (file.path().extension() != ".json" || !file.is_regular_file(none)) continue;
    try {
      all.runs.push_back({file.path(), read_run_report(file.path())});
    } catch (const maslin::error& e) {
      if (file.exists(none)) all.damaged.emplace_back(e.what());  // a newer run has removed it meanwhile otherwise
    }
  }
  std::ranges::sort(all.runs, std::ranges::greater(), [](const auto& run) { return run.what.report_of->began; });
  return all;
}

const known_runs::run* known_runs::find(const std::string& wish) const {
  const std::string name = std::filesystem::path(wish).filename();
  const auto at = std::ranges::find_if(runs, [&](const run& r) {
    return wish.empty() || r.what.program == name || std::to_string(r.what.report_of->process) == wish;
  });
  return at == runs.end() ? nullptr : &*at;
}

std::string runs_text(const known_runs& all) {
  std::string text;
  line(text, "{:>9}  {:<20}  {:<19}  {:<8}  {:>10}  {}", "process", "program", "began", "state", "seconds", "phases");
  for (const auto& [path, what] : all.runs) {
    std::string phases;
    for (const phase_decisions& p : what.phases) phases += (phases.empty() ? "" : ", ") + p.name;
    line(text, "{:>9}  {:<20}  {:<19}  {:<8}  {:>10.3f}  {}", what.report_of->process, what.program,
         wall_clock(what.report_of->began), name_of(what.report_of->is), what.seconds, phases);
  }
  return text;
}

std::string runs_json(const known_runs& all) {
  using nlohmann::ordered_json;
  ordered_json out = ordered_json::array();
  for (const auto& [path, what] : all.runs) {
    ordered_json phases = ordered_json::array();
    for (const phase_decisions& p : what.phases) phases.push_back(p.name);
    out.push_back({{"file", path},
                   {"process", what.report_of->process},
                   {"host", what.report_of->host},
                   {"program", what.program},
                   {"began", what.report_of->began},
                   {"state", name_of(what.report_of->is)},
                   {"seconds", what.seconds},
                   {"phases", phases}});
  }
  return json_text(out) + "\n";
}
