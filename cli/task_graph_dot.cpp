// A task graph in the DOT language.

#include "output.hpp"
#include "task_graph.hpp"

namespace {

/// Gives the text between quotation marks; a backslash would begin an escape.
std::string quoted(const std::string& text) {
  std::string safe = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') safe += '\\';
    safe += c;
  }
  return safe + '"';
}

const char* attributes_of(task_graph::edge_kind kind) {
  switch (kind) {
    case task_graph::edge_kind::order:
      return " [style=dashed, color=\"#8a94a0\"]";
    case task_graph::edge_kind::creates:
      return " [style=dotted, color=\"#8a94a0\", arrowhead=none]";
    default:
      return "";
  }
}

}  // namespace

std::string to_dot(const task_graph& graph) {
  std::string dot;
  line(dot, "digraph tasks {{");
  line(dot, "  graph [label={}, labelloc=t, fontname=\"sans-serif\"];",
       quoted(fmt::format("{}: {}", graph.program, graph.size())));
  line(dot, "  node [shape=circle, style=filled, color=\"#4a5561\", fontname=\"sans-serif\", fontsize=10];");
  line(dot, "  subgraph cluster_lines {{");
  line(dot, "    label=\"tasks by source line\";");
  for (std::size_t i = 0; i < graph.lines.size(); ++i)
    line(dot, "    line{} [shape=box, fillcolor=\"{}\", label={}];", i, color_of_line(i),
         quoted(fmt::format("{} ({})", graph.lines[i].name, graph.lines[i].tasks)));
  line(dot, "  }}");
  for (std::size_t i = 0; i < graph.tasks.size(); ++i) {
    const task_graph::task& t = graph.tasks[i];
    line(dot, "  t{0} [label=\"{0}\", fillcolor=\"{1}\", tooltip={2}];", t.number, color_of_line(t.line),
         quoted(fmt::format("{}, {:.3g} ms", graph.lines[t.line].name, t.seconds * 1e3)));
  }
  for (const task_graph::edge& e : graph.edges)
    line(dot, "  t{} -> t{}{};", graph.tasks[e.from].number, graph.tasks[e.to].number, attributes_of(e.kind));
  line(dot, "}}");
  return dot;
}
