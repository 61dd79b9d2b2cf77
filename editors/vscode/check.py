#!/usr/bin/env python3
"""Check a .vsix: its parts are there and well-formed, and the grammar's expressions close their brackets."""
import json
import re
import sys
import xml.dom.minidom
import zipfile


def expressions(node):
    """The regular expressions of a TextMate grammar."""
    if isinstance(node, dict):
        for key, value in node.items():
            if key in ("match", "begin", "end"):
                yield value
            else:
                yield from expressions(value)
    elif isinstance(node, list):
        for value in node:
            yield from expressions(value)


def includes(node):
    """The rules that a grammar refers to."""
    if isinstance(node, dict):
        if "include" in node:
            yield node["include"]
        for value in node.values():
            yield from includes(value)
    elif isinstance(node, list):
        for value in node:
            yield from includes(value)


def main():
    package = zipfile.ZipFile(sys.argv[1])
    assert package.testzip() is None
    for name in ("[Content_Types].xml", "extension.vsixmanifest"):
        xml.dom.minidom.parseString(package.read(name))
    about = json.loads(package.read("extension/package.json"))
    contributed = about["contributes"]
    paths = [about["main"], contributed["languages"][0]["configuration"], contributed["grammars"][0]["path"], contributed["snippets"][0]["path"]]
    for path in paths:
        text = package.read("extension/" + path.removeprefix("./"))
        if path.endswith(".json"):
            json.loads(text)
    grammar = json.loads(package.read("extension/" + contributed["grammars"][0]["path"].removeprefix("./")))
    for expression in expressions(grammar):
        re.compile(re.sub(r"\\p\{\w+\}", "a", expression))  # Python has no classes of Unicode
    for name in includes(grammar):
        assert name.removeprefix("#") in grammar["repository"], name
    print(f"{sys.argv[1]}: {len(package.namelist())} parts")


main()
