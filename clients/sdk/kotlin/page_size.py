#!/usr/bin/env python3
"""Prints the size of native libraries, and checks that 64-bit ones can be loaded on pages of 16 KB.

    page_size.py LIBRARY...
"""

import gzip
import struct
import sys
from pathlib import Path

PAGE = 16 * 1024
LOAD = 1


def alignments(library):
    """Returns the alignments of the loaded segments of a 64-bit ELF file; of a 32-bit one, none.

    Raises ValueError for other files.
    """
    if len(library) < 64 or library[:4] != b"\x7fELF":
        raise ValueError("not an ELF file")
    if library[4] == 1:
        return []
    order = "<" if library[5] == 1 else ">"
    (start,) = struct.unpack_from(f"{order}Q", library, 32)
    size, count = struct.unpack_from(f"{order}HH", library, 54)
    segments = [start + index * size for index in range(count)]
    return [
        struct.unpack_from(f"{order}Q", library, at + 48)[0]
        for at in segments
        if struct.unpack_from(f"{order}I", library, at)[0] == LOAD
    ]


def problem(library):
    """Returns why a library cannot be loaded on pages of 16 KB, or None."""
    found = alignments(library)
    if library[4] == 2 and not found:
        return "has no segments to load"
    low = [align for align in found if align % PAGE]
    return f"is aligned to {min(low)} bytes, not to {PAGE}" if low else None


def main(paths):
    """Prints a line for each library, and exits with 1 if one has a problem."""
    failed = False
    for path in map(Path, paths):
        library = path.read_bytes()
        packed = len(gzip.compress(library, 9))
        print(f"{path}: {len(library) / 1e6:.1f} MB, {packed / 1e6:.1f} MB compressed")
        wrong = problem(library)
        if wrong:
            print(f"{path}: {wrong}", file=sys.stderr)
            failed = True
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main(sys.argv[1:])
