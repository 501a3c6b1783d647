"""Checks that every decision record has a status and a date, is listed in docs/adr/README.md, and that the
records which other files name exist. Links in Markdown are checked by links.py."""

import re

import tree

STATUS = re.compile(r"^- Status: (?:proposed|accepted|superseded (?:in part )?by \[)", re.MULTILINE)
DATE = re.compile(r"^- Date: \d{4}-\d{2}-\d{2}$", re.MULTILINE)
NAMED = re.compile(r"docs/adr/\d{4}[\w-]*\.md")


def misnamed(root):
    """Yields a line for each mention of a record that does not exist."""
    for path in tree.files(root):
        # The tests of this check name records that do not exist.
        if path.suffix == ".md" or path.name == "test_checks.py":
            continue
        for number, line in enumerate(tree.lines(path), 1):
            for name in NAMED.findall(line):
                if not (root / name).exists():
                    yield f"{path.relative_to(root)}:{number}: {name} does not exist"


def findings(root):
    """Returns a line for everything that a record lacks, and for each mention of a missing record."""
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
    return [*found, *misnamed(root)]


if __name__ == "__main__":
    tree.finish(findings(tree.ROOT))
