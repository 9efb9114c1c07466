#include "critical.hpp"

#include <algorithm>
#include <map>

#include "timeline.hpp"

using namespace maslin::trace;

namespace {

class shares : public timeline::observer {
 public:
  explicit shares(const file& trace) : trace_(trace), open_(static_cast<std::size_t>(trace.about().workers) + 1) {}

  void begin(int worker, const timeline::slice& s) override {
    pass(s.begin_ns);
    auto& open = of(worker);
    forget(open);
    open.push_back(s.sort == timeline::sort::wait || s.sort == timeline::sort::parked ? rests : s.id);
    count(open);
  }
  void end(int worker, const timeline::slice& ended, std::int64_t ns) override {
    pass(ns);
    auto& open = of(worker);
    forget(open);
    if (!open.empty()) open.pop_back();
    count(open);
    if (open.empty() && names_line(ended.sort)) called_ = ended.id;
  }
  void mark(const event& e) override {
    if (e.kind == event_kind::task_create && of(e.worker).empty()) called_ = e.id;
  }

  std::vector<line_share> finish(std::int64_t ns) {
    pass(ns);
    std::vector<line_share> all;
    const auto whole = static_cast<double>(ns);
    for (const auto& [id, time] : held_) all.push_back({std::string(trace_.name(id)), {}, time / whole});
    for (const auto& [id, time] : between_)
      all.push_back({{}, id == nothing ? std::string() : std::string(trace_.name(id)), time / whole});
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.share > b.share; });
    return all;
  }

 private:
  static constexpr std::uint32_t rests = ~std::uint32_t{0};
  static constexpr std::uint32_t nothing = 0;

  /// Is the slice something that the program called at a line?
  static bool names_line(timeline::sort sort) {
    return sort == timeline::sort::loop || sort == timeline::sort::offload;
  }

  std::vector<std::uint32_t>& of(int worker) {
    return worker < 0 ? open_.back() : open_[static_cast<std::size_t>(worker)];
  }
  void count(const std::vector<std::uint32_t>& open) {
    if (open.empty() || open.back() == rests) return;
    ++now_[open.back()];
    ++busy_;
  }
  void forget(const std::vector<std::uint32_t>& open) {
    if (open.empty() || open.back() == rests) return;
    if (--now_[open.back()] == 0) now_.erase(open.back());
    --busy_;
  }
  void pass(std::int64_t ns) {
    const auto time = static_cast<double>(ns - since_);
    since_ = ns;
    if (time <= 0) return;
    if (busy_ == 0) between_[called_] += time;
    for (const auto& [id, workers] : now_) held_[id] += time * workers / busy_;
  }

  const file& trace_;
  std::vector<std::vector<std::uint32_t>> open_;  ///< by worker, the innermost last
  std::map<std::uint32_t, int> now_;              ///< workers that compute for a line
  int busy_ = 0;
  std::int64_t since_ = 0;
  std::uint32_t called_ = nothing;           ///< the line of the program's last call
  std::map<std::uint32_t, double> held_;     ///< nanoseconds, by line
  std::map<std::uint32_t, double> between_;  ///< nanoseconds of the program itself, by `called_`
};

}  // namespace

std::vector<line_share> critical_lines(const file& trace) {
  shares all(trace);
  observe(trace, all, "looking for what holds it up");
  return all.finish(trace.about().duration_ns);
}
