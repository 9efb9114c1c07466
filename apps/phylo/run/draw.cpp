#include "phylo/run/draw.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <map>
#include <utility>

namespace phylo {

namespace {

/// A place on a branch: at `share` of the way from the node of `h` to the other end.
struct RootPlace {
  HalfEdge h;
  double share;
};

/// Gives for every tip its distance from a tip, and in `towards` for every node the half-edge that leads back.
std::vector<double> distances_from(const Tree& tree, Node tip, std::vector<HalfEdge>& towards) {
  std::vector<double> distance(static_cast<std::size_t>(tree.nodes()), 0.0);
  towards.assign(distance.size(), none);
  std::vector<HalfEdge> stack{tree.back(tip)};
  while (!stack.empty()) {
    const HalfEdge h = stack.back();  // leaves its node towards the tip
    stack.pop_back();
    const auto node = static_cast<std::size_t>(tree.node(h));
    distance[node] = distance[static_cast<std::size_t>(tree.node(tree.back(h)))] + tree.length(h);
    towards[node] = h;
    for (HalfEdge side = tree.next(h); side != h; side = tree.next(side)) stack.push_back(tree.back(side));
  }
  return distance;
}

Node farthest_tip(const Tree& tree, const std::vector<double>& distance) {
  return static_cast<Node>(std::max_element(distance.begin(), distance.begin() + tree.tips()) - distance.begin());
}

/// Gives the middle of the longest path between two tips.
RootPlace middle_of(const Tree& tree) {
  std::vector<HalfEdge> towards;
  const Node one = farthest_tip(tree, distances_from(tree, 0, towards));
  const std::vector<double> distance = distances_from(tree, one, towards);
  const Node other = farthest_tip(tree, distance);
  if (distance[static_cast<std::size_t>(other)] <= 0) return {tree.back(0), 0.5};
  const double middle = distance[static_cast<std::size_t>(other)] / 2;
  HalfEdge h = other;
  while (distance[static_cast<std::size_t>(tree.node(tree.back(h)))] > middle)
    h = towards[static_cast<std::size_t>(tree.node(tree.back(h)))];
  const double above = distance[static_cast<std::size_t>(tree.node(h))] - middle;
  return {h, tree.length(h) > 0 ? std::clamp(above / tree.length(h), 0.0, 1.0) : 0.5};
}

struct Drawn {
  int parent = -1;
  HalfEdge up = none;  // towards the parent; none at the root
  double depth = 0;    // distance from the root
  int tips = 1;
  int lowest_tip = 0;
  std::vector<int> children;
  int row = 0;
  int column = 0;
};

/// The rooted tree that is drawn; 0 is the root, parents stand before their children.
std::vector<Drawn> root_at(const Tree& tree, RootPlace place) {
  std::vector<Drawn> nodes(1);
  const auto add = [&](int parent, HalfEdge up, double length) {
    const int index = static_cast<int>(nodes.size());
    nodes.emplace_back();
    nodes.back().parent = parent;
    nodes.back().up = up;
    nodes.back().depth = nodes[static_cast<std::size_t>(parent)].depth + length;
    nodes[static_cast<std::size_t>(parent)].children.push_back(index);
  };
  add(0, place.h, tree.length(place.h) * place.share);
  add(0, tree.back(place.h), tree.length(place.h) * (1 - place.share));
  for (std::size_t i = 1; i < nodes.size(); ++i) {
    const HalfEdge up = nodes[i].up;
    for (HalfEdge side = tree.next(up); side != up; side = tree.next(side))
      add(static_cast<int>(i), tree.back(side), tree.length(side));
  }
  for (std::size_t i = nodes.size(); i-- > 0;) {
    Drawn& node = nodes[i];
    const auto child = [&](int c) -> const Drawn& { return nodes[static_cast<std::size_t>(c)]; };
    if (node.children.empty()) {
      node.lowest_tip = node.up;
      continue;
    }
    node.tips = 0;
    node.lowest_tip = tree.tips();
    for (const int c : node.children) {
      node.tips += child(c).tips;
      node.lowest_tip = std::min(node.lowest_tip, child(c).lowest_tip);
    }
    std::sort(node.children.begin(), node.children.end(), [&](int a, int b) {
      return std::pair(child(a).tips, child(a).lowest_tip) < std::pair(child(b).tips, child(b).lowest_tip);
    });
  }
  return nodes;
}

/// Gives each taxon its line, each inner node the middle of its children's.
void place_rows(std::vector<Drawn>& nodes) {
  int row = 0;
  std::vector<int> stack{0};
  while (!stack.empty()) {
    Drawn& node = nodes[static_cast<std::size_t>(stack.back())];
    stack.pop_back();
    if (node.children.empty()) node.row = row++;
    stack.insert(stack.end(), node.children.rbegin(), node.children.rend());
  }
  for (std::size_t i = nodes.size(); i-- > 0;) {
    Drawn& node = nodes[i];
    if (!node.children.empty())
      node.row = (nodes[static_cast<std::size_t>(node.children.front())].row +
                  nodes[static_cast<std::size_t>(node.children.back())].row) /
                 2;
  }
}

/// Places nodes with `scale` columns for the deepest tip's depth and at least `step` to an inner node. Gives the last
/// column.
int place_columns(std::vector<Drawn>& nodes, int scale, int step) {
  double deepest = 0;
  for (const Drawn& node : nodes) deepest = std::max(deepest, node.depth);
  int last = 0;
  for (std::size_t i = 1; i < nodes.size(); ++i) {
    Drawn& node = nodes[i];
    const int scaled = deepest > 0 ? static_cast<int>(std::lround(node.depth / deepest * scale)) : 0;
    const int least = nodes[static_cast<std::size_t>(node.parent)].column + (node.children.empty() ? 1 : step);
    node.column = std::max(scaled, least);
    last = std::max(last, node.column);
  }
  return last;
}

/// Fits the picture into `width` columns: with room for support values if lengths still show then, else without.
int fit_columns(std::vector<Drawn>& nodes, int width) {
  for (int step = 4; step > 1; --step)
    for (int scale = width; scale >= width / 2; --scale)
      if (const int last = place_columns(nodes, scale, step); last <= width) return last;
  for (int scale = width; scale > 0; --scale)
    if (const int last = place_columns(nodes, scale, 1); last <= width) return last;
  return place_columns(nodes, 0, 1);
}

constexpr unsigned left = 1, right = 2, up = 4, down = 8;

const char* glyph(unsigned arms, bool unicode) {
  static constexpr std::array<const char*, 16> boxes = {" ", "─", "─", "─", "│", "┘", "└", "┴",
                                                        "│", "┐", "┌", "┬", "│", "┤", "├", "┼"};
  static constexpr std::array<const char*, 16> plain = {" ", "-", "-", "-", "|", "'", "`", "+",
                                                        "|", ".", ",", "+", "|", "+", "+", "+"};
  return unicode ? boxes[arms] : plain[arms];
}

/// The part of a name that fits.
std::string shortened(const std::string& name, std::size_t most, bool unicode) {
  if (columns_of(name) <= most) return name;
  std::string out;
  std::size_t columns = 0;
  for (const char c : name) {
    const bool begins = (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
    if (begins && ++columns >= most) break;
    out += c;
  }
  return out + (unicode ? "…" : "~");
}

class Canvas {
 public:
  Canvas(int rows, int columns)
      : columns_(columns),
        arms_(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns), 0),
        text_(arms_.size(), 0) {}

  unsigned& arms(int row, int column) { return arms_[at(row, column)]; }
  bool is_free(int row, int column) const {
    return column < columns_ && arms_[at(row, column)] == 0 && text_[at(row, column)] == 0;
  }
  void write(int row, int column, const std::string& digits) {
    for (std::size_t i = 0; i < digits.size(); ++i) text_[at(row, column) + i] = digits[i];
  }
  std::string line(int row, int end, bool unicode) const {
    std::string out;
    for (int column = 0; column < end; ++column) {
      const std::size_t cell = at(row, column);
      if (text_[cell] != 0)
        out += text_[cell];
      else
        out += glyph(arms_[cell], unicode);
    }
    return out;
  }

 private:
  std::size_t at(int row, int column) const {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(columns_) + static_cast<std::size_t>(column);
  }
  int columns_;
  std::vector<unsigned> arms_;
  std::vector<char> text_;
};

void draw_lines(Canvas& canvas, const std::vector<Drawn>& nodes) {
  for (const Drawn& node : nodes) {
    if (node.parent >= 0) {
      const int from = nodes[static_cast<std::size_t>(node.parent)].column;
      canvas.arms(node.row, from) |= right;
      for (int column = from + 1; column < node.column; ++column) canvas.arms(node.row, column) |= left | right;
      canvas.arms(node.row, node.column) |= left;
    }
    if (node.children.empty()) continue;
    const int top = nodes[static_cast<std::size_t>(node.children.front())].row;
    const int bottom = nodes[static_cast<std::size_t>(node.children.back())].row;
    for (int row = top; row <= bottom; ++row) {
      if (row > top) canvas.arms(row, node.column) |= up;
      if (row < bottom) canvas.arms(row, node.column) |= down;
    }
  }
}

/// Writes the support before the node if its branch is long enough, else behind it if nothing is there.
void write_support(Canvas& canvas, const std::vector<Drawn>& nodes, const Drawn& node, double support) {
  const std::string per_cent = std::to_string(std::lround(100 * support));
  const int length = static_cast<int>(per_cent.size());
  if (node.column - nodes[static_cast<std::size_t>(node.parent)].column > length) {
    canvas.write(node.row, node.column - length, per_cent);
    return;
  }
  for (int i = 1; i <= length + 1; ++i)
    if (!canvas.is_free(node.row, node.column + i)) return;
  canvas.write(node.row, node.column + 1, per_cent);
}

}  // namespace

std::string draw(const Tree& tree, const std::vector<std::string>& names, const std::vector<double>& supports,
                 const DrawOptions& options) {
  std::vector<Drawn> nodes = root_at(tree, middle_of(tree));
  place_rows(nodes);

  std::size_t longest = 0;
  for (const std::string& name : names) longest = std::max(longest, columns_of(name));
  const auto most = static_cast<std::size_t>(std::max(8, options.columns * 2 / 5));
  longest = std::min(longest, most);
  const int last = fit_columns(nodes, std::max(4, options.columns - static_cast<int>(longest) - 2));

  constexpr int widest = 1000;  // a picture of all columns of a caterpillar takes the square of its taxa
  if (last > std::max(options.columns, widest)) return "(It is too deep to be drawn.)\n";

  Canvas canvas(tree.tips(), last + 2);
  draw_lines(canvas, nodes);
  const bool shown_twice = nodes.size() > 2 && !nodes[1].children.empty() && !nodes[2].children.empty();
  for (std::size_t i = 1; i < nodes.size(); ++i) {
    const Drawn& node = nodes[i];
    if (node.children.empty() || supports.empty() || supports[static_cast<std::size_t>(node.up)] < 0) continue;
    // Both sides of the root are one branch.
    if (shown_twice && i == 2) continue;
    write_support(canvas, nodes, node, supports[static_cast<std::size_t>(node.up)]);
  }

  std::vector<const Drawn*> tips(static_cast<std::size_t>(tree.tips()));
  for (const Drawn& node : nodes)
    if (node.children.empty()) tips[static_cast<std::size_t>(node.row)] = &node;
  std::string out;
  for (const Drawn* tip : tips) {
    out += canvas.line(tip->row, tip->column + 1, options.unicode);
    out += ' ';
    out += shortened(names[static_cast<std::size_t>(tip->up)], longest, options.unicode);
    out += '\n';
  }
  return out;
}

int terminal_columns() {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  if (const char* columns = std::getenv("COLUMNS")) {
    const int value = std::atoi(columns);
    if (value >= 20 && value <= 10000) return value;
  }
  return 80;
}

std::size_t columns_of(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

}  // namespace phylo
