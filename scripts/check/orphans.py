"""Checks that every page in Markdown is reachable from the README by links."""

import re

import tree

LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)\s]*)?\)|^\[[^\]]+\]:\s*([^#\s]+)", re.MULTILINE)
START = "README.md"


def links(page):
    """Returns the files to which a page links."""
    found = set()
    for inline, reference in LINK.findall(page.read_text(encoding="utf-8")):
        target = inline or reference
        if "://" in target or target.startswith("mailto:"):
            continue
        path = (page.parent / target).resolve()
        # A link to a folder shows its README.
        found.add(path / START if path.is_dir() else path)
    return found


def findings(root):
    """Returns a line for each page that no chain of links leads to."""
    # GitHub shows the files in .github.
    pages = {path.resolve() for path in tree.files(root, ".md") if ".github" not in path.parts}
    start = root.resolve() / START
    reached, waiting = set(), [start]
    while waiting:
        page = waiting.pop()
        if page in pages and page not in reached:
            reached.add(page)
            waiting += links(page)
    orphans = sorted(page.relative_to(root.resolve()) for page in pages - reached)
    return [f"{page}: no page that {START} leads to has a link to it" for page in orphans]


if __name__ == "__main__":
    tree.finish(findings(tree.ROOT))
