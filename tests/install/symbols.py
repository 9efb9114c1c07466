"""Whether the shared library exports what is listed, and nothing else.

    symbols.py MAP ARCHIVE LIBRARY

MAP is src/libmaslin.map. What the public headers mark with MASLIN_API is known by the static library: it has default
visibility there. Prints every symbol that is in one of the three and not in another; status 1 if there is one.
"""

import re
import subprocess
import sys
from pathlib import Path

# A class that is thrown has these wherever its header is included.
OF_A_CLASS = re.compile(r"_ZT[ISV]N6maslin")


def listed(text: str) -> dict[str, str]:
    """Gives the version of each symbol of a map."""
    versions = {}
    for version, block in re.findall(r"^(\w[\w.]*) \{(.*?)^\}", text, re.DOTALL | re.MULTILINE):
        exported = re.search(r"global:(.*?)(local:|$)", block, re.DOTALL)
        for symbol in re.findall(r"^\s*(\w+);", exported[1] if exported else "", re.MULTILINE):
            versions[symbol] = version
    return versions


def marked(symbols: str) -> set[str]:
    """Gives what has default visibility in a static library, by `readelf -sW`."""
    found = set()
    for line in symbols.splitlines():
        fields = line.split()
        if len(fields) < 8 or fields[5] != "DEFAULT" or fields[6] == "UND":
            continue
        if fields[4] == "GLOBAL" or (fields[4] == "WEAK" and OF_A_CLASS.match(fields[7])):
            found.add(fields[7])
    return found


def exported(symbols: str) -> dict[str, str]:
    """Gives the version of each symbol that a shared library exports, by `nm -D --defined-only`."""
    names = (line.split()[-1].partition("@") for line in symbols.splitlines() if " A " not in line)
    return {name: version.lstrip("@") for name, _, version in names}


def complaints(in_map: dict[str, str], in_headers: set[str], in_library: dict[str, str]) -> list[str]:
    found = [f"new: {name}: the headers mark it with MASLIN_API; add it to the newest version in src/libmaslin.map"
             for name in in_headers - set(in_map)]
    found += [f"lost: {name}: the map lists it and the library does not define it; programs that use it stop working"
              for name in set(in_map) - set(in_library)]
    found += [f"not listed: {name}: the library exports it and the map does not list it"
              for name in set(in_library) - set(in_map)]
    found += [f"hidden: {name}: the map lists it and no public header marks it with MASLIN_API"
              for name in (set(in_map) & set(in_library)) - in_headers]
    found += [f"moved: {name}: the map gives it to {in_map[name]}, the library to {version}"
              for name, version in in_library.items() if in_map.get(name, version) != version]
    return sorted(found)


def output_of(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def main(map_file: str, archive: str, library: str) -> int:
    found = complaints(listed(Path(map_file).read_text(encoding="utf-8")), marked(output_of("readelf", "-sW", archive)),
                       exported(output_of("nm", "-D", "--defined-only", library)))
    for complaint in found:
        print(complaint)
        print("   ", output_of("c++filt", complaint.split(": ")[1]).strip())
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
