// The picture of a task graph: layers, with what depends on each other as near as two passes bring it.

#include <algorithm>
#include <array>

#include "maslin/error.hpp"
#include "output.hpp"
#include "svg_text.hpp"
#include "task_graph.hpp"

namespace {

constexpr std::size_t most_tasks = 2000;
constexpr double margin = 24, radius = 12, apart = 34, layer_apart = 64, row = 20;

/// Where the tasks stand.
class layout {
 public:
  explicit layout(const task_graph& graph) : graph_(graph), x_(graph.tasks.size()), layer_(graph.tasks.size()) {
    // An edge leads from an earlier task to a later one, and edges are sorted by where they lead.
    for (const task_graph::edge& e : graph.edges) layer_[e.to] = std::max(layer_[e.to], layer_[e.from] + 1);
    for (std::size_t i = 0; i < layer_.size(); ++i) {
      if (layer_[i] >= layers_.size()) layers_.resize(layer_[i] + 1);
      layers_[layer_[i]].push_back(i);
    }
    for (const auto& one : layers_) widest_ = std::max(widest_, one.size());
    for (const auto& one : layers_) place(one);
    for (const bool down : {true, false, true})
      for (std::size_t i = 0; i < layers_.size(); ++i) sort(layers_[down ? i : layers_.size() - 1 - i], down);
  }

  double x(std::size_t task) const { return x_[task]; }
  double y(std::size_t task) const { return static_cast<double>(layer_[task]) * layer_apart + radius; }
  double width() const { return static_cast<double>(widest_) * apart; }
  double height() const { return static_cast<double>(layers_.size() - 1) * layer_apart + 2 * radius; }

 private:
  void place(const std::vector<std::size_t>& tasks) {
    double at = (width() - static_cast<double>(tasks.size() - 1) * apart) / 2;
    for (const std::size_t task : tasks) {
      x_[task] = at;
      at += apart;
    }
  }

  /// Sorts a layer by where the neighbours above, or below, stand.
  void sort(std::vector<std::size_t>& tasks, bool by_above) {
    std::vector<std::pair<double, int>> sums(graph_.tasks.size());
    for (const task_graph::edge& e : graph_.edges) {
      auto& [sum, count] = sums[by_above ? e.to : e.from];
      sum += x_[by_above ? e.from : e.to];
      ++count;
    }
    const auto wish = [&](std::size_t task) {
      return sums[task].second > 0 ? sums[task].first / sums[task].second : x_[task];
    };
    std::stable_sort(tasks.begin(), tasks.end(), [&](std::size_t a, std::size_t b) { return wish(a) < wish(b); });
    place(tasks);
  }

  const task_graph& graph_;
  std::vector<double> x_;
  std::vector<std::size_t> layer_;
  std::vector<std::vector<std::size_t>> layers_;
  std::size_t widest_ = 1;
};

struct style {
  task_graph::edge_kind kind;
  const char* name;
  const char* meaning;
};
constexpr std::array styles = {
    style{task_graph::edge_kind::data, "data", "reads what the other wrote"},
    style{task_graph::edge_kind::order, "order", "writes where the other reads or writes"},
    style{task_graph::edge_kind::creates, "creates", "is created by the other"},
};

}  // namespace

std::string to_svg(const task_graph& graph) {
  if (graph.tasks.size() > most_tasks)
    throw maslin::error(
        fmt::format("a picture of {} tasks would show nothing; expected are at most {}: choose a part of the run with "
                    "--from and --to, or take --dot, for programs that draw large graphs",
                    graph.tasks.size(), most_tasks));
  const layout at(graph);
  const auto seen = [&](task_graph::edge_kind kind) {
    return std::any_of(graph.edges.begin(), graph.edges.end(), [&](const auto& e) { return e.kind == kind; });
  };
  std::string legend;
  double y = 56;
  for (std::size_t i = 0; i < graph.lines.size(); ++i, y += row) {
    line(legend, R"(<circle cx="{}" cy="{}" r="6" fill="{}" class="task"/>)", margin + 6, y, color_of_line(i));
    line(legend, R"(<text x="{}" y="{}">{} <tspan class="soft">{}</tspan></text>)", margin + 32, y + 4,
         svg_text(graph.lines[i].name), graph.lines[i].tasks);
  }
  for (const style& s : styles) {
    if (!seen(s.kind)) continue;
    line(legend, R"(<path d="M{} {}h22" class="{}"/>)", margin, y, s.name);
    line(legend, R"(<text x="{}" y="{}" class="soft">{}</text>)", margin + 32, y + 4, s.meaning);
    y += row;
  }
  const double top = y + 8, width = std::max(2 * margin + at.width(), 480.0), height = top + at.height() + margin;
  const double left = (width - at.width()) / 2;
  std::string svg;
  line(svg,
       R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0:.0f} {1:.0f}" width="{0:.0f}" height="{1:.0f}">)",
       width, height);
  line(svg,
       "<style>text{{font-family:Inter,'Noto Sans','DejaVu Sans',Arial,sans-serif;font-size:12px;fill:#1f2933}}"
       ".soft{{fill:#66707c}}.head{{font-size:15px;font-weight:600}}.number{{font-size:9px;text-anchor:middle}}"
       ".task{{stroke:#4a5561}}path{{fill:none;stroke:#4a5561;stroke-opacity:.55}}"
       ".order{{stroke-dasharray:5 3}}.creates{{stroke-dasharray:1 3}}</style>");
  line(svg, R"(<rect width="{:.0f}" height="{:.0f}" fill="white"/>)", width, height);
  line(svg, R"(<text x="{}" y="26" class="head">{}: {}</text>)", margin, svg_text(graph.program), graph.size());
  svg += legend;
  for (const task_graph::edge& e : graph.edges) {
    const double x1 = left + at.x(e.from), y1 = top + at.y(e.from) + radius;
    const double x2 = left + at.x(e.to), y2 = top + at.y(e.to) - radius, bend = (y2 - y1) / 2;
    line(svg, R"(<path d="M{:.1f} {:.1f}C{:.1f} {:.1f} {:.1f} {:.1f} {:.1f} {:.1f}" class="{}"/>)", x1, y1, x1,
         y1 + bend, x2, y2 - bend, x2, y2, styles[static_cast<std::size_t>(e.kind)].name);
  }
  for (std::size_t i = 0; i < graph.tasks.size(); ++i) {
    const task_graph::task& t = graph.tasks[i];
    const double x = left + at.x(i), center = top + at.y(i);
    line(svg,
         R"(<circle cx="{:.1f}" cy="{:.1f}" r="{}" fill="{}" class="task"><title>{}: {}, {:.3g} ms</title></circle>)",
         x, center, radius, color_of_line(t.line), t.number, svg_text(graph.lines[t.line].name), t.seconds * 1e3);
    line(svg, R"(<text x="{:.1f}" y="{:.1f}" class="number">{}</text>)", x, center + 3, t.number);
  }
  line(svg, "</svg>");
  return svg;
}
