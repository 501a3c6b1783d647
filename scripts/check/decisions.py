"""Checks that every decision record has a status and a date, and is listed in docs/adr/README.md."""

import re

import tree

STATUS = re.compile(r"^- Status: (?:proposed|accepted|superseded (?:in part )?by \[)", re.MULTILINE)
DATE = re.compile(r"^- Date: \d{4}-\d{2}-\d{2}$", re.MULTILINE)


def findings(root):
    """Returns a line for everything that a record lacks."""
    folder = root / "docs/adr"
    listed = "\n".join(tree.lines(folder / "README.md"))
    found = []
    for path in sorted(folder.glob("[0-9]*.md")):
        name = path.relative_to(root)
        head = "\n".join(tree.lines(path)).partition("\n## ")[0]
        if not STATUS.search(head):
            found.append(f"{name}: no `- Status: accepted` below its title")
        if not DATE.search(head):
            found.append(f"{name}: no `- Date: YYYY-MM-DD` below its title")
        if f"({path.name})" not in listed:
            found.append(f"{name}: docs/adr/README.md does not list it")
    return found


if __name__ == "__main__":
    tree.finish(findings(tree.ROOT))
