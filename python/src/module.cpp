// The extension: what the package's Python code calls.

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <maslin/maslin.hpp>
#include <maslin/run_report.hpp>

#include "callers.hpp"
#include "calls.hpp"
#include "interpreter.hpp"

namespace {

void run(nb::object function, nb::object items, std::int64_t count, std::vector<std::int64_t> order, nb::object results,
         bool goes_on, std::string name, std::string file, unsigned line) {
  call({std::move(function), std::move(items), count, std::move(order), std::move(results), goes_on}, std::move(name),
       std::move(file), line)
      .run();
}

}  // namespace

NB_MODULE(_core, m) {
  nb::set_leak_warnings(false);  // daemon threads that wait in a call keep what they wait for
  m.attr("version") = MASLIN_VERSION;
  nb::exception<maslin::error>(m, "Error", PyExc_RuntimeError);
  m.def("name_program", name_program, nb::arg("name"));
  m.def("run", run, nb::arg("function"), nb::arg("items").none(), nb::arg("count"), nb::arg("order"),
        nb::arg("results").none(), nb::arg("goes_on"), nb::arg("name"), nb::arg("file"), nb::arg("line"));
  m.def("width", width);
  m.def("workers", workers);
  m.def("report", maslin::run_report_json);
  m.def("after_fork", forget_after_fork);
  m.def("end", end_interpreter);
  nb::class_<feed>(m, "Feed")
      .def(nb::init<std::string, int>(), nb::arg("name"), nb::arg("at_a_time"))
      .def("put", &feed::put, nb::arg("callable"))
      .def("begin", &feed::begin)
      .def("clear", &feed::clear)
      .def("wait", &feed::wait);
}
