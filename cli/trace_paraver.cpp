// A trace for Paraver (Barcelona Supercomputing Center): what happened (.prv), what the numbers mean (.pcf), and the
// names of the rows (.row).

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <vector>

#include "dma_transfers.hpp"
#include "rank_trace.hpp"
#include "store_transfers.hpp"
#include "timeline.hpp"
#include "trace_export.hpp"
#include "trace_info.hpp"

using namespace maslin::trace;

namespace {

enum state { looking, working, waiting, parked };
constexpr std::array state_names = {"Looks for work", "Works", "Waits", "Parked"};
constexpr std::array state_colors = {"200,200,200", "0,110,180", "230,150,30", "245,245,245"};

/// What has a value at each moment of a worker: the innermost slice of these sorts, 0 where none is open.
struct value {
  int type;
  const char* name;
  std::array<timeline::sort, 2> sorts;
};
constexpr std::array values = {
    value{81000001, "Stream of phase", {timeline::sort::stream, timeline::sort::stream}},
    value{81000002, "Task", {timeline::sort::task, timeline::sort::task}},
    value{81000003, "Loop", {timeline::sort::loop, timeline::sort::chunk}},
    value{81000004, "Kernel", {timeline::sort::offload, timeline::sort::offload}},
};
constexpr int streams_at_a_time = 81000005, workers_each = 81000006;
constexpr int bytes_got = 81000007, bytes_put = 81000008;
constexpr int transfer_of_store = 81000009, bytes_of_transfer = 81000010;

class paraver : public timeline::observer {
 public:
  paraver(const file& trace, const time_window& window) : trace_(trace), transfers_(trace.about().workers) {
    until_ = window.until_ns(trace);
    from_ = std::min(window.from_ns(), until_);
    workers_ = trace.about().workers;
    bool others = false;
    for (const auto& t : trace.about().tracks) others |= t.worker < 0 && t.events > 0;
    rows_.resize(static_cast<std::size_t>(workers_ + (others ? 1 : 0)));
  }

  void begin(int worker, const timeline::slice& s) override {
    rows_[index_of(worker)].open.push_back({s.sort, s.id});
    changed(worker, s.sort, s.begin_ns);
  }
  void end(int worker, const timeline::slice& s, std::int64_t ns) override {
    rows_[index_of(worker)].open.pop_back();
    changed(worker, s.sort, ns);
  }
  void mark(const event& e) override {
    if (const auto one = transfers_.add(e)) add_store_transfer(*one);
    if (e.kind != event_kind::decision) return;
    const auto d = unpack<decision_of>(e.argument);
    add_event(0, e.ns, streams_at_a_time, static_cast<std::uint64_t>(d.under.streams));
    add_event(0, e.ns, workers_each, static_cast<std::uint64_t>(d.under.width));
  }

  /// What a local store would get or put of a datum of a task that begins or ends there. Those of one task are one
  /// event.
  void add_transfer(const event& e, std::uint64_t bytes, maslin::dma::direction way) {
    const int type = way == maslin::dma::direction::get ? bytes_got : bytes_put;
    const auto index = static_cast<std::uint32_t>(index_of(e.worker));
    if (!records_.empty())
      if (record& last = records_.back(); last.type == type && last.row == index && last.at == e.ns - from_) {
        last.is += bytes;
        return;
      }
    add_event(index, e.ns, type, bytes);
  }
  /// What a local store has copied. Its copies follow each other, and so do these.
  void add_store_transfer(const store_transfer& one) {
    if (one.begin_ns > until_ || one.end_ns < from_) return;
    const std::size_t index = index_of(one.store);
    const std::int64_t begin = std::max(one.begin_ns, from_), end = std::min(one.end_ns, until_);
    add_event(index, begin, transfer_of_store, sort_of(one.what) + 1);
    add_event(index, begin, bytes_of_transfer, one.what.bytes);
    add_event(index, end, transfer_of_store, 0);
    add_event(index, end, bytes_of_transfer, 0);
    if (one.what.goes != transfer_of::way::from_peer || begin != one.begin_ns || end != one.end_ns) return;
    add_arrival(index_of(one.what.peer), begin, begin, {index, begin - from_, end - from_, one.what.bytes, 0});
  }
  /// A message is shown as a whole or not at all.
  void add_message(const recorded_message& m) {
    // It has left before it is there, whatever the sender's clock says, and when the sender looked.
    const std::int64_t there = std::max(m.received.complete_ns, m.sent.begun_ns);
    const std::int64_t left = std::clamp(m.sent.complete_ns, m.sent.begun_ns, there);
    if (std::min(m.sent.begun_ns, m.received.begun_ns) < from_ || there > until_) return;
    add_arrival(index_of(m.sent.worker), m.sent.begun_ns, left,
                {index_of(m.received.worker), m.received.begun_ns - from_, there - from_, m.bytes, m.tag});
  }

  std::uint64_t write(output_file& to) {
    for (std::size_t i = 0; i < rows_.size(); ++i) end_state(i, until_);
    std::stable_sort(records_.begin(), records_.end(), [](const record& a, const record& b) { return a.at < b.at; });
    const std::size_t rows = rows_.size();
    to.write(fmt::format("#Paraver ({}):{}_ns:1({}):1:1({}:1)\n", start_of(trace_.about(), "%d/%m/%Y at %H:%M"),
                         until_ - from_, rows, rows));
    for (const record& r : records_) to.write(text_of(r));
    return records_.size();
  }

  void write_meanings(output_file& to) const {
    std::string text =
        "DEFAULT_OPTIONS\n\nLEVEL THREAD\nUNITS NANOSEC\n\nDEFAULT_SEMANTIC\n\nTHREAD_FUNC State As Is\n\n";
    text += "STATES\n";
    for (std::size_t i = 0; i < state_names.size(); ++i) line(text, "{} {}", i, state_names[i]);
    text += "\nSTATES_COLOR\n";
    for (std::size_t i = 0; i < state_colors.size(); ++i) line(text, "{} {{{}}}", i, state_colors[i]);
    for (std::size_t i = 0; i < values.size(); ++i) {
      line(text, "\nEVENT_TYPE\n0 {} {}\nVALUES\n0 none", values[i].type, values[i].name);
      for (const std::uint32_t id : seen_[i]) line(text, "{} {}", id + 1, trace_.name(id));
    }
    line(text, "\nEVENT_TYPE\n0 {} Streams at a time\n0 {} Workers each", streams_at_a_time, workers_each);
    line(text, "\nEVENT_TYPE\n0 {} Bytes that a task would get (modelled)", bytes_got);
    line(text, "0 {} Bytes that a task would put (modelled)", bytes_put);
    line(text, "\nEVENT_TYPE\n0 {} Transfer of a local store\nVALUES\n0 none", transfer_of_store);
    for (std::size_t i = 0; i < transfer_sorts.size(); ++i) line(text, "{} {}", i + 1, transfer_sorts[i].text);
    line(text, "\nEVENT_TYPE\n0 {} Bytes of the transfer", bytes_of_transfer);
    to.write(text);
  }

  void write_rows(output_file& to) const {
    std::string text;
    for (const char* level : {"CPU", "THREAD"}) {
      if (!text.empty()) text += '\n';
      line(text, "LEVEL {} SIZE {}", level, rows_.size());
      for (std::size_t i = 0; i < rows_.size(); ++i) line(text, "{}", name_of(i));
    }
    to.write(text);
  }

 private:
  struct open_slice {
    timeline::sort sort;
    std::uint32_t id;
  };
  struct row {
    std::vector<open_slice> open;
    state is = looking;
    std::int64_t since = 0;
  };
  struct record {
    std::int64_t at, until;  ///< nanoseconds in the window; `until` of a state, or of what a message's sender does
    std::uint64_t is;        ///< of a message, its place in `messages_`
    std::uint32_t row;
    int type;  ///< of an event, or `state_record` or `message`
  };
  static constexpr int state_record = 0, message = 1;
  /// Where and when a message is received.
  struct arrival {
    std::size_t row;
    std::int64_t begun, there;
    std::uint64_t bytes, tag;
  };

  std::size_t index_of(int worker) const { return static_cast<std::size_t>(worker < 0 ? workers_ : worker); }
  std::string name_of(std::size_t index) const {
    return index < static_cast<std::size_t>(workers_) ? fmt::format("worker {}", index) : "other threads";
  }

  std::string text_of(const record& r) const {
    const auto place = [](std::size_t index) { return fmt::format("{0}:1:1:{0}", index + 1); };
    if (r.type == state_record) return fmt::format("1:{}:{}:{}:{}\n", place(r.row), r.at, r.until, r.is);
    if (r.type != message) return fmt::format("2:{}:{}:{}:{}\n", place(r.row), r.at, r.type, r.is);
    const arrival& a = messages_[r.is];
    return fmt::format("3:{}:{}:{}:{}:{}:{}:{}:{}\n", place(r.row), r.at, r.until, place(a.row), a.begun, a.there,
                       a.bytes, a.tag);
  }

  static state state_of(const row& of) {
    if (of.open.empty()) return looking;
    const timeline::sort innermost = of.open.back().sort;
    return innermost == timeline::sort::parked ? parked : innermost == timeline::sort::wait ? waiting : working;
  }

  void end_state(std::size_t index, std::int64_t ns) {
    row& of = rows_[index];
    const std::int64_t begin = std::max(of.since, from_), end = std::min(ns, until_);
    if (end > begin)
      records_.push_back({begin - from_, end - from_, static_cast<std::uint64_t>(of.is),
                          static_cast<std::uint32_t>(index), state_record});
    of.since = std::max(of.since, ns);
  }

  void add_event(std::size_t index, std::int64_t ns, int type, std::uint64_t is) {
    if (ns < from_ || ns > until_) return;
    records_.push_back({ns - from_, 0, is, static_cast<std::uint32_t>(index), type});
  }

  void add_arrival(std::size_t from, std::int64_t sent, std::int64_t left, const arrival& at) {
    records_.push_back({sent - from_, left - from_, messages_.size(), static_cast<std::uint32_t>(from), message});
    messages_.push_back(at);
  }

  /// A slice of that sort has been opened or closed.
  void changed(int worker, timeline::sort sort, std::int64_t ns) {
    const std::size_t index = index_of(worker);
    row& of = rows_[index];
    if (const state now = state_of(of); now != of.is) {
      end_state(index, ns);
      of.is = now;
    }
    for (std::size_t v = 0; v < values.size(); ++v) {
      const auto& sorts = values[v].sorts;
      const auto counts = [&](timeline::sort s) { return s == sorts[0] || s == sorts[1]; };
      if (!counts(sort)) continue;
      const auto found =
          std::find_if(of.open.rbegin(), of.open.rend(), [&](const open_slice& s) { return counts(s.sort); });
      const std::uint64_t is = found == of.open.rend() ? 0 : found->id + 1u;
      if (is) seen_[v].emplace(found->id);
      add_event(index, ns, values[v].type, is);
    }
  }

  const file& trace_;
  std::int64_t from_, until_;
  int workers_;
  std::vector<row> rows_;
  std::vector<record> records_;
  std::vector<arrival> messages_;
  store_transfers transfers_;
  std::array<std::set<std::uint32_t>, values.size()> seen_;  ///< names that are values
};

}  // namespace

paraver_records export_paraver(const file& trace, const std::string& path, const time_window& window,
                               const std::string& stem) {
  paraver out(trace, window);
  const timeline lines = observe(trace, out, "exporting");
  const auto holds = [&](event_kind kind) { return lines.events()[static_cast<std::size_t>(kind)] > 0; };
  paraver_records written;
  try {
    if (holds(event_kind::accessed))
      each_transfer(trace, path, [&](const event& e, const named_access& a, maslin::dma::direction way) {
        out.add_transfer(e, a.form.bytes * a.form.columns, way);
      });
  } catch (const no_task_data& why) {  // a wait for data is `accessed`, too
    if (why.lost) written.left_out = why.what();
  }
  try {
    if (holds(event_kind::sends))
      for (const recorded_message& m : messages_of(trace, path)) out.add_message(m);
  } catch (const no_messages& why) {
    written.left_out = why.what();
  }
  output_file records(stem + ".prv"), meanings(stem + ".pcf"), rows(stem + ".row");
  written.count = out.write(records);
  out.write_meanings(meanings);
  out.write_rows(rows);
  meanings.commit();
  rows.commit();
  records.commit();
  return written;
}
