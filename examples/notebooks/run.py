#!/usr/bin/env python3
"""Run the notebooks beside this file and compare their outputs with what they hold.

With --update the outputs are written instead. It needs nbclient, and `fluxion kernel install`.
"""
import pathlib
import re
import sys

import nbformat
from nbclient import NotebookClient

# Times differ from run to run, and so do the allocations before them in the tables of %explain.
TIMES = re.compile(r"(\b\d+[ \t]+)?\b\d+(\.\d+)?(ns|µs|ms|s)\b")
BLANKS = re.compile(r"[ \t]+")


def plain(text):
    """A text without what differs from run to run."""
    return BLANKS.sub(" ", TIMES.sub("TIME", text))


def outputs(cell):
    """The outputs of a cell, as they are compared."""
    found = []
    for out in cell.get("outputs", []):
        if out["output_type"] == "stream":
            found.append((out["name"], plain(out["text"])))
        elif out["output_type"] == "error":
            found.append((out["ename"], out["evalue"]))
        else:
            found.append({kind: plain(value) for kind, value in out["data"].items()})
    return found


def run(path, update):
    """Run a notebook; tell whether its outputs are what it holds."""
    notebook = nbformat.read(path, as_version=4)
    kept = [outputs(cell) for cell in notebook.cells]
    client = NotebookClient(notebook, timeout=60, kernel_name="fluxion", allow_errors=True,
                            resources={"metadata": {"path": str(path.parent)}})
    client.execute()
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)  # when it ran
    if update:
        nbformat.write(notebook, path)
        return True
    same = True
    for cell, before in zip(notebook.cells, kept):
        after = outputs(cell)
        if after != before:
            same = False
            print(f"{path.name}: the cell\n{cell['source']}\nhas the outputs\n{after}\nand not\n{before}\n")
    return same


def main():
    folder = pathlib.Path(__file__).resolve().parent
    paths = sorted(folder.glob("*.ipynb"))
    good = [run(path, "--update" in sys.argv) for path in paths]
    print(f"{sum(good)} of {len(paths)} notebooks give what they hold")
    sys.exit(0 if all(good) and paths else 1)


main()
