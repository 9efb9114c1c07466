#include "scaling_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "output.hpp"
#include "svg_text.hpp"

namespace {

constexpr double left = 60, right = 560, top = 60, bottom = 360;

}  // namespace

std::string scaling_picture(const std::string& program, const std::string& machine, const scaling& s) {
  const double most = std::max(2.0, static_cast<double>(s.points.back().workers));
  const double doublings = std::log2(most);
  const auto x = [&](double workers) { return left + (right - left) * std::log2(std::max(1.0, workers)) / doublings; };
  const auto y = [&](double speed_up) {
    return bottom - (bottom - top) * std::log2(std::clamp(speed_up, 1.0, most)) / doublings;
  };
  std::string svg;
  line(svg, R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 430" width="640" height="430">)");
  line(svg,
       "<style>text{{font-family:Inter,'Noto Sans','DejaVu Sans',Arial,sans-serif;font-size:12px;fill:#1f2933}}"
       ".soft{{fill:#66707c}}.head{{font-size:15px;font-weight:600}}</style>"
       R"(<rect width="640" height="430" fill="white"/>)");
  line(svg, R"(<text x="{}" y="26" class="head">{}: speed-up on more workers</text>)", left, svg_text(program));
  line(svg, R"(<text x="{}" y="44" class="soft">predicted from a run on one worker, for {}</text>)", left,
       svg_text(machine));
  for (double mark = 1; mark <= most; mark *= 2) {
    line(svg, R"(<line x1="{0:.1f}" x2="{0:.1f}" y1="{1}" y2="{2}" stroke="#e3e7ec"/>)", x(mark), top, bottom);
    line(svg, R"(<line x1="{1}" x2="{2}" y1="{0:.1f}" y2="{0:.1f}" stroke="#e3e7ec"/>)", y(mark), left, right);
    line(svg, R"(<text x="{:.1f}" y="{}" class="soft" text-anchor="middle">{}</text>)", x(mark), bottom + 18, mark);
    line(svg, R"(<text x="{}" y="{:.1f}" class="soft" text-anchor="end">{}</text>)", left - 8, y(mark) + 4, mark);
  }
  line(svg, R"(<text x="{}" y="{}" class="soft" text-anchor="middle">workers</text>)", (left + right) / 2, bottom + 38);
  const auto bound = [&](double to, const char* name, double at_y) {
    line(svg, R"(<text x="{}" y="{:.1f}" class="soft" text-anchor="end">{}</text>)", to, at_y, name);
  };
  line(svg, R"(<line x1="{}" y1="{}" x2="{}" y2="{}" stroke="#a9b1bc" stroke-dasharray="4 3"/>)", left, bottom, right,
       top);
  bound(right - 8, "one for each worker", top - 6);
  const double parallelism = s.work / s.span;
  if (parallelism < most) {
    line(svg, R"(<line x1="{0}" x2="{1}" y1="{2:.1f}" y2="{2:.1f}" stroke="#d6616b" stroke-dasharray="4 3"/>)", left,
         right, y(parallelism));
    bound(right, fmt::format("work / span = {:.1f}", parallelism).c_str(), y(parallelism) - 6);
  }
  std::string path;
  for (const scaling::point& p : s.points)
    fmt::format_to(std::back_inserter(path), "{:.1f},{:.1f} ", x(p.workers), y(s.work / p.seconds));
  line(svg, R"(<polyline points="{}" fill="none" stroke="#2563a8" stroke-width="2.5"/>)", path);
  for (const scaling::point& p : s.points) {
    const std::string why = *to_string(p.by) ? fmt::format("; limited by {}", to_string(p.by)) : "";
    line(
        svg,
        R"(<circle cx="{:.1f}" cy="{:.1f}" r="4" fill="#2563a8"><title>{} workers: {:.4g} s, {:.2f} times as fast{}</title></circle>)",
        x(p.workers), y(s.work / p.seconds), p.workers, p.seconds, s.work / p.seconds, why);
  }
  line(svg, "</svg>");
  return svg;
}
