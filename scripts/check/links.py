"""Checks that every relative link in Markdown leads to a file of the repository, and to a heading in it."""

import re
import unicodedata
from pathlib import Path
from urllib.parse import unquote

import tree

LINK = re.compile(r"(?<!\\)\[(?:[^\[\]]|\[[^\]]*\])*\]\(\s*<?([^)\s>]+)>?[^)]*\)")
REFERENCE = re.compile(r"^ {0,3}\[[^\]]+\]:\s*<?(\S+?)>?(?:\s|$)")
HTML = re.compile(r"""<(?:a|img)\b[^>]*\b(?:href|src)=["']([^"']+)["']""")
FENCE = re.compile(r"^\s*(```+|~~~+)")
CODE = re.compile(r"`+[^`]*`+")
HEADING = re.compile(r"^ {0,3}#{1,6}\s+(.*?)\s*#*\s*$")
ANCHOR = re.compile(r"""<a\b[^>]*\b(?:id|name)=["']([^"']+)["']""")


def prose(path):
    """Yields the numbered lines outside fenced code."""
    fence = None
    for number, line in enumerate(tree.lines(path), 1):
        mark = FENCE.match(line)
        if mark and (fence is None or mark[1].startswith(fence)):
            fence = mark[1] if fence is None else None
        elif fence is None:
            yield number, line


def anchors(path):
    """Returns the anchors of a Markdown file, made from headings as code hosts do."""
    found = set()
    for _, line in prose(path):
        found.update(ANCHOR.findall(line))
        heading = HEADING.match(line)
        if heading:
            text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading[1]).lower()
            kept = (c for c in text if c in " -_" or unicodedata.category(c)[0] in "LNM")
            slug = "".join(kept).replace(" ", "-")
            name, repeat = slug, 0
            while name in found:
                repeat += 1
                name = f"{slug}-{repeat}"
            found.add(name)
    return found


def targets(path):
    """Yields each link target of a file, with its line number."""
    for number, line in prose(path):
        text = CODE.sub("", line)
        yield from ((number, target) for target in LINK.findall(text))
        yield from ((number, target) for target in HTML.findall(text))
        yield from ((number, target) for target in REFERENCE.findall(text))


def problem(root, path, target):
    """Returns what is wrong with a link, or None."""
    if re.match(r"[a-zA-Z][\w+.-]*:|//", target):
        return None
    name, _, fragment = unquote(target).partition("#")
    if name.startswith("/"):
        return "is absolute"
    goal = (path.parent / name).resolve() if name else path
    if not goal.is_relative_to(Path(root).resolve()):
        return "leads out of the repository"
    if not goal.exists():
        return "does not exist"
    if fragment and goal.suffix == ".md" and fragment not in anchors(goal):
        return f"leads to a file without the heading #{fragment}"
    return None


def findings(root):
    """Returns a line for each broken link."""
    return [
        f"{path.relative_to(root)}:{number}: {target} {wrong}"
        for path in tree.files(root, ".md")
        for number, target in targets(path)
        if (wrong := problem(root, path, target))
    ]


if __name__ == "__main__":
    tree.finish(findings(tree.ROOT))
