// What is wrong with the settings that the environment gives, without a runtime that starts.

#include "base/settings.hpp"

#include "exec/node/segment.hpp"
#include "exec/threads/threads.hpp"
#include "machine/budget.hpp"
#include "maslin/error.hpp"
#include "sched/grain/named_policy.hpp"
#include "sched/grain/pin.hpp"

namespace maslin {

namespace {

/// The readers of settings that have a form of their own.
struct form_reader {
  base::known_setting of;
  void (*read)(const char* text);
};
constexpr form_reader readers[] = {
    {"MASLIN_PIN", [](const char* text) { grain::parse_pins(text); }},
    {"MASLIN_GRAIN", [](const char* text) { grain::parse_policy(text); }},
    {"MASLIN_NODE",
     [](const char* text) {
       if (std::string_view(text) != "0") node::check_job_name(text);
     }},
    {"MASLIN_WATCHDOG", [](const char* text) { parse_patience(text); }},
    {"MASLIN_MACHINE", [](const char* text) { machine::read_spec(text); }},
};

}  // namespace

std::string problem_with(const setting& of) try {
  const char* const text = base::text_of(of);
  if (!text) return "";
  base::check(of, text);
  for (const form_reader& one : readers)
    if (&one.of.row() == &of) one.read(text);
  return "";
} catch (const error& e) {
  return e.what();
}

}  // namespace maslin
