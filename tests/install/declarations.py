"""What the public headers declare, from Doxygen's XML: a line for each declaration, and which types programs hold."""

import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "docs" / "site"))
import api  # noqa: E402

# Also what inline code uses, and what C programs see.
SETTINGS = api.SETTINGS + "EXCLUDE_SYMBOLS =\nFILE_PATTERNS = *.hpp *.h\nEXTRACT_STATIC = YES\n"
COMPOUNDS = ("namespace", "struct", "class", "union", "file")


@dataclass
class Declared:
    """The declarations of each header, without those that no program names (detail). The types that are no templates;
    which of them begin with their size and may grow at their end; and the functions of C and of detail."""

    of_header: dict[str, list[str]]
    types: list[str]
    may_grow: list[str]
    functions: set[str]


def spaced(text: str) -> str:
    return " ".join(text.split())


def enumeration(member: xml.Element) -> str:
    values = [f"{api.plain(v.find('name'))} {api.plain(v.find('initializer'))}".strip() for v in member.findall("enumvalue")]
    kind = "enum class" if member.get("strong") == "yes" else "enum"
    return f"{kind} {api.plain(member.find('name'))} {{ {', '.join(values)} }};"


def macro(member: xml.Element) -> str:
    parameters = [api.plain(one.find("defname")) for one in member.findall("param")]
    called = f"({', '.join(parameters)})" if member.find("param") is not None else ""
    return f"#define {api.plain(member.find('name'))}{called}"


def declaration(member: xml.Element) -> str:
    if member.get("kind") == "enum":
        return enumeration(member)
    if member.get("kind") == "define":
        return macro(member)
    if member.get("kind") == "typedef" and not api.plain(member.find("name")) in api.plain(member.find("type")) and \
            api.plain(member.find("argsstring")):  # of a pointer to a function
        return f"typedef {api.plain(member.find('type'))} {api.plain(member.find('name'))}{api.plain(member.find('argsstring'))};"
    words = [word for word in ("static", "explicit") if member.get(word) == "yes"]
    return spaced(" ".join([*words, api.declaration_of(member)]))


def read(folder: Path) -> Declared:
    """Gives what is in Doxygen's XML in that folder. A struct has its members in their order."""
    found: dict[str, set[str]] = {}
    types, may_grow, functions = [], [], set()
    for file in folder.glob("*.xml"):
        compound = xml.parse(file).getroot().find("compounddef")
        if compound is None or compound.get("kind") not in COMPOUNDS:
            continue
        scope = api.plain(compound.find("compoundname")) if compound.get("kind") != "file" else ""
        of_class = compound.get("kind") in ("struct", "class", "union")
        if compound.get("prot") == "private":
            continue
        if of_class and compound.find("templateparamlist") is None:
            types.append(scope)
        if scope in ("", "maslin::detail"):
            functions |= {f"{scope}::{api.plain(one.find('name'))}".removeprefix("::")
                          for one in compound.findall("sectiondef/memberdef") if one.get("kind") == "function"}
        if "detail" in scope:
            continue
        members = [one for one in compound.findall("sectiondef/memberdef") if one.get("prot") == "public"]
        fields = [one for one in members if of_class and one.get("kind") == "variable" and one.get("static") == "no"]
        if of_class:
            parameters = ", ".join(" ".join(filter(None, (api.plain(one.find("type")), api.plain(one.find("declname")))))
                                   for one in compound.findall("templateparamlist/param"))
            template = f"template <{parameters}> " if compound.find("templateparamlist") is not None else ""
            bases = ", ".join(api.plain(one) for one in compound.findall("basecompoundref"))
            if fields and api.declaration_of(fields[0]) == "size_t size;":
                may_grow.append(scope)
            held = "".join(f" {declaration(one)}" for one in fields)
            said = f"{template}{compound.get('kind')} {scope}{f' : {bases}' if bases else ''} {{{held} }};"
            found.setdefault(api.place(compound)[0], set()).add(said)
        for one in members:
            if one in fields or one.get("kind") == "friend" or api.plain(one.find("name")).endswith("_H"):
                continue
            if scope or one.get("kind") == "define" or api.place(one)[0].endswith(".h"):
                said = f"{scope}: {declaration(one)}" if scope else declaration(one)
                found.setdefault(api.place(one)[0], set()).add(said)
    return Declared({header: sorted(found[header]) for header in sorted(found)}, sorted(types), sorted(may_grow), functions)


def of(headers: Path) -> Declared:
    """Gives what the headers in that folder declare. Needs Doxygen."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["doxygen", "-"], input=SETTINGS.format(input=headers, output=folder), text=True, check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return read(Path(folder, "xml"))


def text_of(declared: Declared) -> str:
    return "\n".join(f"[{header}]\n" + "\n".join(lines) + "\n" for header, lines in declared.of_header.items())
