#include "syntax.hpp"

#include <clang-c/Index.h>

#include <memory>
#include <stdexcept>
#include <type_traits>

namespace compiler {

namespace {

constexpr const char* file_name = "translation-unit.c";

std::string text_of(CXString from) {
  const char* const text = clang_getCString(from);
  std::string copied = text ? text : "";
  clang_disposeString(from);
  return copied;
}

std::size_t offset_of(CXSourceLocation at) {
  unsigned offset = 0;
  clang_getFileLocation(at, nullptr, nullptr, nullptr, &offset);
  return offset;
}

struct reader {
  const std::string& text;
  program& made;
  int inside = -1;
};

/// Calls `visit(child)` for each child of the cursor.
template <class Visit>
void each_child(CXCursor of, Visit&& visit) {
  clang_visitChildren(
      of,
      [](CXCursor child, CXCursor, CXClientData with) {
        (*static_cast<std::remove_reference_t<Visit>*>(with))(child);
        return CXChildVisit_Continue;
      },
      &visit);
}

parameter read_parameter(const reader& of, CXCursor cursor) {
  parameter made;
  made.name = text_of(clang_getCursorSpelling(cursor));
  const CXSourceRange range = clang_getCursorExtent(cursor);
  const std::size_t begin = offset_of(clang_getRangeStart(range)), end = offset_of(clang_getRangeEnd(range));
  made.text = of.text.substr(begin, end - begin);
  made.name_at = offset_of(clang_getCursorLocation(cursor)) - begin;
  CXType type = clang_getCanonicalType(clang_getCursorType(cursor));
  const auto is_array = [](CXType t) {
    return t.kind == CXType_ConstantArray || t.kind == CXType_VariableArray || t.kind == CXType_IncompleteArray ||
           t.kind == CXType_DependentSizedArray;
  };
  // libclang says of a parameter how it was declared: an array is no pointer yet.
  made.has_extents = type.kind == CXType_ConstantArray || type.kind == CXType_VariableArray;
  if (is_array(type)) {
    made.is_data = true;
    made.rank = 1;
    type = clang_getArrayElementType(type);
  } else if (type.kind == CXType_Pointer) {
    type = clang_getPointeeType(type);
    made.is_data = type.kind != CXType_FunctionProto && type.kind != CXType_FunctionNoProto;
    made.rank = 1;
  }
  if (!made.is_data) return made;
  while (is_array(type)) {
    ++made.rank;
    type = clang_getArrayElementType(type);
  }
  made.is_const = clang_isConstQualifiedType(type) != 0;
  made.is_untyped = type.kind == CXType_Void;
  return made;
}

function read_function(const reader& of, CXCursor cursor) {
  function made;
  made.name = text_of(clang_getCursorSpelling(cursor));
  const CXSourceRange range = clang_getCursorExtent(cursor);
  made.begin = offset_of(clang_getRangeStart(range));
  made.end = offset_of(clang_getRangeEnd(range));
  made.is_definition = clang_isCursorDefinition(cursor) != 0;
  const CXType type = clang_getCursorType(cursor);
  made.gives_nothing = clang_getCanonicalType(clang_getResultType(type)).kind == CXType_Void;
  made.is_variadic = clang_isFunctionTypeVariadic(type) != 0;
  const int count = clang_Cursor_getNumArguments(cursor);
  for (int i = 0; i < count; ++i)
    made.list.push_back(read_parameter(of, clang_Cursor_getArgument(cursor, static_cast<unsigned>(i))));
  // What stands between the parentheses behind its name.
  std::size_t open = of.text.find('(', offset_of(clang_getCursorLocation(cursor)));
  if (open != std::string::npos) {
    int depth = 0;
    std::size_t close = open;
    for (; close < of.text.size(); ++close) {
      depth += of.text[close] == '(' ? 1 : of.text[close] == ')' ? -1 : 0;
      if (depth == 0) break;
    }
    if (count > 0) made.parameters = of.text.substr(open + 1, close - open - 1);
  }
  return made;
}

/// Gives the function that a call names, also in parentheses; a cursor of another kind if it names none.
CXCursor callee_of(CXCursor call) {
  CXCursor at = call;
  for (;;) {
    CXCursor first = clang_getNullCursor();
    each_child(at, [&](CXCursor child) {
      if (clang_Cursor_isNull(first)) first = child;
    });
    at = first;
    const CXCursorKind kind = clang_getCursorKind(at);
    if (kind == CXCursor_DeclRefExpr) return clang_getCursorReferenced(at);
    if (kind != CXCursor_UnexposedExpr && kind != CXCursor_ParenExpr) return at;
  }
}

/// Notes the calls of functions by their names.
void read_calls(reader& of, CXCursor at) {
  each_child(at, [&](CXCursor child) {
    if (clang_getCursorKind(child) == CXCursor_CallExpr) {
      const CXCursor callee = callee_of(child);
      if (clang_getCursorKind(callee) == CXCursor_FunctionDecl) {
        call found{text_of(clang_getCursorSpelling(callee)),
                   offset_of(clang_getRangeStart(clang_getCursorExtent(child))), clang_Cursor_getNumArguments(child),
                   of.inside};
        of.made.calls.push_back(std::move(found));
      }
    }
    read_calls(of, child);
  });
}

}  // namespace

program parse(const std::string& text, const std::string& standard) {
  const std::unique_ptr<void, void (*)(void*)> index(clang_createIndex(0, 0), clang_disposeIndex);
  CXUnsavedFile file{file_name, text.data(), text.size()};
  // What gcc and its headers know and clang does not; its own errors in headers do no harm.
  std::vector<const char*> options = {"-x",
                                      "c",
                                      "-w",
                                      "-ferror-limit=0",
                                      "-D_Float16=float",
                                      "-D_Float128=__float128",
                                      "-D_Float32=float",
                                      "-D_Float64=double",
                                      "-D_Float32x=double",
                                      "-D_Float64x=long double"};
  if (!standard.empty()) options.push_back(standard.c_str());
  CXTranslationUnit raw = nullptr;
  const CXErrorCode failed =
      clang_parseTranslationUnit2(index.get(), file_name, options.data(), static_cast<int>(options.size()), &file, 1,
                                  CXTranslationUnit_KeepGoing, &raw);
  if (failed != CXError_Success || !raw) throw std::runtime_error("libclang could not read the program");
  const std::unique_ptr<std::remove_pointer_t<CXTranslationUnit>, void (*)(CXTranslationUnit)> unit(
      raw, clang_disposeTranslationUnit);

  program made;
  reader of{text, made};
  each_child(clang_getTranslationUnitCursor(raw), [&](CXCursor child) {
    const CXSourceRange range = clang_getCursorExtent(child);
    extent all{offset_of(clang_getRangeStart(range)), offset_of(clang_getRangeEnd(range)), -1};
    if (clang_getCursorKind(child) == CXCursor_FunctionDecl) {
      all.function = static_cast<int>(made.functions.size());
      made.functions.push_back(read_function(of, child));
    }
    made.outermost.push_back(all);
    of.inside = all.function;
    read_calls(of, child);
  });
  for (unsigned i = 0; i < clang_getNumDiagnostics(raw); ++i) {
    const CXDiagnostic one = clang_getDiagnostic(raw, i);
    if (clang_getDiagnosticSeverity(one) >= CXDiagnostic_Error) {
      CXString name;
      unsigned line = 0;
      clang_getPresumedLocation(clang_getDiagnosticLocation(one), &name, &line, nullptr);
      made.errors.push_back({text_of(name), static_cast<int>(line), text_of(clang_getDiagnosticSpelling(one))});
    }
    clang_disposeDiagnostic(one);
  }
  return made;
}

}  // namespace compiler
