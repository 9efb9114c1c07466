"""The public names of the C headers and of the Python package, and what their comments say; and the parts of pages of docs/api
that are made of them.

The headers are written in one way, so they are read by patterns: a comment of `///` before a declaration, and after that of
a call the macro by which it is called without its place. Python's names are those of each module's `__all__`."""

import ast
import re
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
C_PAGE = re.compile(r"^<!-- c: ([^>]*) -->$", re.MULTILINE)
PYTHON_PAGE = re.compile(r"^<!-- python: ([^>]*) -->$", re.MULTILINE)


@dataclass
class Name:
    """A public name: its declaration, what its comment says, and the names inside it, such as enumerators."""

    name: str
    declaration: str
    comment: str
    inside: list[str] = field(default_factory=list)


# Of C
# ---------------------------------------------------------------------------------------------------------------------

SECTION = re.compile(r"^// (\S.*)\n// -+$", re.MULTILINE)
ITEM = re.compile(r"""
    (?P<comment>(?:^///[^\n]*\n)*)
    (?P<declaration>
      ^typedef\ (?:struct|enum)\ \w+\ \{.*?^\}\ \w+;
    | ^enum\ \w+\ \{.*?^\};
    | ^typedef[^;{]*;
    | ^extern\ const[^;]*;
    | ^static\ inline[^{]*(?=\{)
    | ^\#define\ maslin_\w+\([^)]*\)|^\#define\ MASLIN_\w+(?:\([^)]*\))?(?=[ ])
    | ^(?:int|void|const\ char\*)\ maslin_\w+\([^;]*\);
    )""", re.MULTILINE | re.DOTALL | re.VERBOSE)
GUARD = re.compile(r"MASLIN_\w+_H")


def text_of(comment: str) -> str:
    return " ".join(line.removeprefix("///").strip() for line in comment.splitlines()).strip()


def name_in(declaration: str) -> str:
    """Gives the name that a declaration declares."""
    for pattern in (r"\}\s*(\w+);$", r"^enum (\w+)", r"^typedef \w+ \(\*(\w+)\)", r"#define (\w+)", r"(\w+)\(", r"(\w+);$"):
        if found := re.search(pattern, declaration):
            return found[1]
    raise ValueError(f"no name in {declaration!r}")


def without_place(declaration: str) -> str:
    """Gives the declaration of a call as it is written: without its place, and without `_at`."""
    return re.sub(r"maslin_location where(?:, )?", "", declaration.replace("_at(", "(", 1)).replace("()", "(void)")


def c_names(header: str) -> list[tuple[str, list[Name]]]:
    """Gives the names of a header by its sections, in its order."""
    text = (ROOT / "include" / "maslin" / header).read_text(encoding="utf-8")
    parts = SECTION.split(text)
    sections = list(zip(parts[1::2], parts[2::2])) or [("", text)]
    found = []
    for title, body in sections:
        names: dict[str, Name] = {}
        last_comment = ""
        for item in ITEM.finditer(body):
            declaration = item["declaration"].strip()
            name = name_in(declaration)
            if GUARD.fullmatch(name):
                continue
            comment = text_of(item["comment"]) or (last_comment if declaration.startswith("#define maslin_") else "")
            last_comment = comment or last_comment
            if name.endswith("_at"):
                name, declaration = name.removesuffix("_at"), without_place(declaration)
            if name in names:  # the macro of a call that stands above
                continue
            inside = re.findall(r"^  (MASLIN_\w+)", item["declaration"], re.MULTILINE)
            names[name] = Name(name, declaration, comment, inside)
        found.append((title, list(names.values())))
    return found


# Of Python
# ---------------------------------------------------------------------------------------------------------------------

def signature(of: ast.FunctionDef) -> str:
    returns = f" -> {ast.unparse(of.returns)}" if of.returns else ""
    return f"{of.name}({ast.unparse(of.args)}){returns}"


def markdown(docstring: str | None) -> str:
    """Gives a docstring as Markdown: its code is that of reStructuredText."""
    text = (docstring or "").replace("``", "`")
    out, block = [], False
    for line in text.split("\n"):
        inside = line.startswith("    ") or (block and not line)
        if inside and not block:
            out.append("```text")
        if block and not inside:
            out.append("```\n")
        block = inside
        out.append(line[4:] if inside else re.sub(r"::$", ":", line))
    return "\n".join([*out, "```"] if block else out)


def python_names(module: str) -> list[Name]:
    """Gives the names in the module's `__all__`, those of the modules that it takes them from included."""
    folder = ROOT / "python" / Path(*module.split("."))
    file = folder / "__init__.py" if folder.is_dir() else folder.with_suffix(".py")
    tree = ast.parse(file.read_text(encoding="utf-8"))
    wanted = next(ast.literal_eval(node.value) for node in tree.body
                  if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__")
    defined: dict[str, ast.AST] = {}
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.level == 1 and node.module:
            beside = file.with_name(f"{node.module}.py")
            if beside.exists():
                defined |= {one.name: one for one in ast.parse(beside.read_text(encoding="utf-8")).body
                            if isinstance(one, (ast.FunctionDef, ast.ClassDef))}
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            defined[node.name] = node
    found = []
    for name in wanted:
        node = defined.get(name)
        if isinstance(node, ast.FunctionDef):
            found.append(Name(name, signature(node), markdown(ast.get_docstring(node))))
        elif isinstance(node, ast.ClassDef):
            methods = [one for one in node.body if isinstance(one, ast.FunctionDef) and ast.get_docstring(one)
                       and (not one.name.startswith("_") or one.name in ("__call__", "__len__"))]
            said = "\n\n".join(f"`{signature(one)}`: {markdown(ast.get_docstring(one))}" for one in methods)
            found.append(Name(name, f"class {name}", f"{markdown(ast.get_docstring(node))}\n\n{said}".strip()))
        elif name == "Error":
            found.append(Name(name, "class Error(RuntimeError)", "What a user can mend: `str` of it says what was found, what was "
                              "expected and what to do."))
        else:
            found.append(Name(name, name, "The version of Maslin, as text." if name == "__version__" else ""))
    return found


def reference(page: str) -> str:
    """Gives what follows a page of docs/api on the site; empty for one that names neither headers of C nor modules."""
    out = ""
    if found := C_PAGE.search(page):
        for header in found[1].split():
            for title, names in c_names(header):
                out += f"\n## `<maslin/{header}>`{': ' + title if title else ''}\n"
                for one in names:
                    out += f"\n### {one.name}\n\n```c++\n{one.declaration}\n```\n\n{one.comment}\n"
    if found := PYTHON_PAGE.search(page):
        for module in found[1].split():
            out += f"\n## `{module}`\n"
            for one in python_names(module):
                out += f"\n### {one.name}\n\n```python\n{one.declaration}\n```\n\n{one.comment}\n"
    return out
