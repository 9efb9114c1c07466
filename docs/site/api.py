"""The public names of Maslin and what their comments say, from Doxygen's XML of include/maslin; and the part of each page of
docs/api that is made of them.

A page names its headers in a line `<!-- headers: loop.hpp fork.hpp -->`. On the site their declarations and comments
follow the page. Headers of C are named in a line `<!-- c: maslin.h -->`, modules of Python by `<!-- python: maslin -->`;
others.py reads those."""

import re
import subprocess
import tempfile
import xml.etree.ElementTree as xml
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HEADERS = re.compile(r"^<!-- headers: ([^>]*) -->$", re.MULTILINE)
SETTINGS = """
INPUT = {input}
FILE_PATTERNS = *.hpp
GENERATE_HTML = NO
GENERATE_LATEX = NO
GENERATE_XML = YES
XML_PROGRAMLISTING = NO
OUTPUT_DIRECTORY = {output}
EXCLUDE_SYMBOLS = maslin::detail*
EXTRACT_ALL = YES
MACRO_EXPANSION = YES
EXPAND_ONLY_PREDEF = YES
PREDEFINED = MASLIN_API=
QUIET = YES
WARNINGS = NO
"""
KINDS = {"function", "variable", "typedef", "enum"}
IMPLEMENTATION = {("group", "get"), ("recording", "get"), ("group", "state"), ("recording", "state"),
                  ("range", "begin"), ("range", "end")}


@dataclass
class Name:
    """A public name with one of its declarations."""

    scope: str  # maslin, maslin::group
    name: str
    header: str
    line: int
    declaration: str
    comment: str
    members: list[tuple[str, str]]  # of a struct or an enumeration: declaration, comment

    @property
    def of_class(self) -> str:
        """Gives the class that it is a member of; empty for one of a namespace."""
        last = self.scope.rpartition("::")[2]
        return "" if last in ("maslin", "machine", "trace") else last


def escaped(text: str | None) -> str:
    return (text or "").replace("<", "&lt;")


def text_of(element: xml.Element | None) -> str:
    """Gives the Markdown of a comment."""
    if element is None:
        return ""
    if element.tag == "computeroutput":
        return f"`{''.join(element.itertext())}`"
    inner = escaped(element.text)
    for child in element:
        inner += text_of(child) + escaped(child.tail)
    return inner.strip() + "\n\n" if element.tag == "para" else inner


def comment_of(definition: xml.Element) -> str:
    both = text_of(definition.find("briefdescription")) + "\n\n" + text_of(definition.find("detaileddescription"))
    return re.sub(r"\n{3,}", "\n\n", both).strip()


def plain(element: xml.Element | None) -> str:
    return " ".join("".join(element.itertext()).split()) if element is not None else ""


def declaration_of(member: xml.Element) -> str:
    """Gives how a function, variable or alias is declared, without the attributes and where it was called."""
    template = ""
    if member.find("templateparamlist") is not None:
        each = [" ".join(filter(None, [plain(p.find("type")), plain(p.find("declname"))])) +
                (f" = {plain(p.find('defval'))}" if p.find("defval") is not None else "")
                for p in member.findall("templateparamlist/param")]
        template = f"template <{', '.join(each)}>\n"
    kind = member.get("kind")
    if kind == "enum":
        values = ", ".join(plain(v.find("name")) for v in member.findall("enumvalue"))
        return f"enum class {plain(member.find('name'))} {{ {values} }};"
    if kind == "typedef":
        return f"{template}using {plain(member.find('name'))} = {plain(member.find('type'))};"
    arguments = re.sub(r",? ?location where\s*=\s*location::current\(\)", "", plain(member.find("argsstring")))
    end = plain(member.find("initializer")) if kind == "variable" else ""
    parts = [plain(member.find("type")), plain(member.find("name"))]
    return template + " ".join(filter(None, parts)) + arguments + (f" {end}" if end else "") + ";"


def fields_of(compound: xml.Element) -> list[tuple[str, str]]:
    return [(declaration_of(m), comment_of(m)) for m in compound.findall("sectiondef/memberdef")
            if m.get("prot") == "public" and m.get("kind") == "variable" and m.get("static") == "no"]


def place(definition: xml.Element) -> tuple[str, int]:
    at = definition.find("location")
    return Path(at.get("file")).name, int(at.get("line"))


def read(folder: Path) -> list[Name]:
    """Gives the names in Doxygen's XML in that folder."""
    found = []
    for file in sorted(folder.glob("*.xml")):
        compound = xml.parse(file).getroot().find("compounddef")
        if compound is None or compound.get("kind") not in ("namespace", "struct", "class"):
            continue
        scope = plain(compound.find("compoundname"))
        if not scope.startswith("maslin") or "detail" in scope or "<" in scope:
            continue
        is_class = compound.get("kind") != "namespace"
        if is_class:
            outer, _, name = scope.rpartition("::")
            header, line = place(compound)
            if compound.get("prot") == "public" and (outer.rpartition("::")[2], name) not in IMPLEMENTATION:
                declared = f"{compound.get('kind')} {name};"
                found.append(Name(outer, name, header, line, declared, comment_of(compound), fields_of(compound)))
        for member in compound.findall("sectiondef/memberdef"):
            name = plain(member.find("name"))
            own = scope.rpartition("::")[2]
            if member.get("kind") not in KINDS or member.get("prot") != "public" or (own, name) in IMPLEMENTATION:
                continue
            if is_class and (member.get("kind") != "function" and member.get("kind") != "enum"):
                continue
            if name.startswith(("operator", "~")) or "<" in name:
                continue
            comment = comment_of(member)
            if is_class and name == own and not comment:  # a constructor that says nothing
                continue
            header, line = place(member)
            values = [(plain(v.find("name")), comment_of(v)) for v in member.findall("enumvalue")]
            found.append(Name(scope, name, header, line, declaration_of(member), comment, values))
    return sorted(found, key=lambda one: (one.header, one.line))


def names() -> list[Name]:
    """Gives every public name. Needs Doxygen."""
    with tempfile.TemporaryDirectory() as folder:
        settings = SETTINGS.format(input=ROOT / "include" / "maslin", output=folder)
        subprocess.run(["doxygen", "-"], input=settings, text=True, check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        return read(Path(folder) / "xml")


def reference(page: str, known: list[Name]) -> str:
    """Gives what follows a page of docs/api on the site; empty for a page that names no headers."""
    headers = HEADERS.search(page)
    if not headers:
        return ""
    out = ""
    for header in headers[1].split():
        out += f"\n## `<maslin/{header}>`\n"
        last = None
        for one in filter(lambda known_name: known_name.header == header, known):
            title = f"{one.scope.removeprefix('maslin').removeprefix('::')}::{one.name}".removeprefix("::")
            if title != last:
                out += f"\n### {title}\n"
            last = title
            out += f"\n```c++\n{one.declaration}\n```\n\n{one.comment}\n"
            out += "\n" + "".join(f"- `{declared}` {' '.join(comment.split())}\n" for declared, comment in one.members)
    return out
