#!/usr/bin/env python3
"""Parse every program of a folder with the generated parser; none may have an ERROR node.

    python check.py DIR

It compiles src/parser.c and src/scanner.c with the C compiler, and needs the package tree-sitter.
"""
import ctypes
import os
import pathlib
import subprocess
import sys
import tempfile

import tree_sitter

HERE = pathlib.Path(__file__).resolve().parent


def language():
    """The language, compiled."""
    library = os.path.join(tempfile.mkdtemp(), "fluxion.so")
    sources = [str(HERE / "src" / name) for name in ("parser.c", "scanner.c")]
    subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", "-O0", "-I", str(HERE / "src"), "-o", library, *sources],
                   check=True)
    make = ctypes.CDLL(library).tree_sitter_fluxion
    make.restype = ctypes.c_void_p
    capsule = ctypes.pythonapi.PyCapsule_New
    capsule.restype = ctypes.py_object
    capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    return tree_sitter.Language(capsule(make(), b"tree_sitter.Language", None))


def mistakes(node):
    """The places that the parser could not read."""
    if node.type == "ERROR" or node.is_missing:
        return [node]
    return [m for child in node.children if child.has_error or child.is_missing for m in mistakes(child)]


def main():
    fluxion = language()
    parser = tree_sitter.Parser(fluxion)
    paths = sorted(pathlib.Path(sys.argv[1]).iterdir())
    wrong = 0
    for path in paths:
        tree = parser.parse(path.read_bytes())
        for node in mistakes(tree.root_node)[:1]:
            wrong += 1
            line, column = node.start_point
            print(f"{path.name}:{line + 1}:{column + 1}: {node.type} {node.text[:40]!r}")
    for query in sorted((HERE / "queries").glob("*.scm")):
        tree_sitter.Query(fluxion, query.read_text())
    print(f"{len(paths) - wrong} of {len(paths)} programs parse")
    sys.exit(1 if wrong or not paths else 0)


main()
