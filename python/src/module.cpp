// The extension: what the package's Python code calls.

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <exception>
#include <maslin/maslin.hpp>
#include <maslin/run_report.hpp>
#include <string_view>

#include "callers.hpp"
#include "calls.hpp"
#include "interpreter.hpp"

namespace {

/// Raises Maslin's errors, whose text may name what is not UTF-8.
void translate(const std::exception_ptr& thrown, void* type) {
  try {
    std::rethrow_exception(thrown);
  } catch (const maslin::error& e) {
    const std::string_view what = e.what();
    const auto text = nb::steal(PyUnicode_DecodeUTF8(what.data(), static_cast<Py_ssize_t>(what.size()), "replace"));
    if (text.is_valid()) PyErr_SetObject(static_cast<PyObject*>(type), text.ptr());
  }
}

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
  nb::register_exception_translator(translate, m.attr("Error").ptr());  // the last one is asked first
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
