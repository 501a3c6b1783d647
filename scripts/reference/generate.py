"""Writes docs/reference.html, the readable form of docs/openapi.json and docs/problems.md.

    python scripts/reference/generate.py            # writes the page
    python scripts/reference/generate.py --check    # fails if it is stale

It needs the packages of scripts/setup/reference.in.
"""

import json
import re
import sys
from collections import Counter, defaultdict
from pathlib import Path

import operations
import problems
import text
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

HERE = Path(__file__).resolve().parent
DOCS = HERE.parent.parent / "docs"
PAGE = DOCS / "reference.html"
STALE = "docs/reference.html is stale: run make openapi, and review the changes"
PLACES = {"path": "Path", "query": "Query", "header": "Headers"}


def slug(title):
    """Returns the name of a heading."""
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")


def sentence(tag):
    """Returns the name of a tag as a heading."""
    return tag[0].upper() + tag[1:]


def scheme_name(scheme):
    """Returns the words of a name such as `browserToken`."""
    words = re.sub(r"(?=[A-Z])", " ", scheme).lower()
    return re.sub(r"^api\b", "API", words)


def parameters(operation):
    """Returns an operation's parameters by where they are sent."""
    for place, title in PLACES.items():
        found = [member for where, member in operation.parameters if where == place]
        if found:
            yield title, found


def render(description, markdown):
    """Returns the page."""
    described = operations.operations(description)
    intro, groups = problems.read(markdown)
    used_by = defaultdict(list)
    for operation in (each for of_tag in described.values() for each in of_tag):
        for _, code in operation.problems:
            used_by[code].append(operation)
    environment = Environment(loader=FileSystemLoader(HERE), autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    return environment.get_template("page.html").render(
        style=Markup((HERE / "page.css").read_text(encoding="utf-8")),
        version=description["info"]["version"],
        about=description["info"]["description"],
        tags={tag["name"]: tag["description"] for tag in description["tags"]},
        schemes={name: {"name": "", **scheme} for name, scheme in description["components"]["securitySchemes"].items()},
        scheme_name=scheme_name,
        schemas={name: {"properties": None, **schema} for name, schema in description["components"]["schemas"].items()},
        operations=described,
        problems_intro=intro,
        groups=groups,
        titles={one.code: one.title for group in groups for one in group.problems},
        used_by=used_by,
        slug=slug,
        title=sentence,
        path=text.path,
        paragraphs=text.paragraphs,
        words=text.words,
        parameters=parameters,
        members=operations.members,
        kind=operations.kind,
        rules=operations.rules,
    )


def faults(page):
    """Returns what is wrong with the links within the page."""
    ids = Counter(re.findall(r' id="([^"]+)"', page))
    twice = [f"two elements are called {name}" for name, count in ids.items() if count > 1]
    targets = set(re.findall(r' href="#([^"]+)"', page))
    return twice + [f"a link leads to {name}, which is missing" for name in sorted(targets - set(ids))]


def main():
    """Writes or checks the page."""
    description = json.loads((DOCS / "openapi.json").read_text(encoding="utf-8"))
    page = render(description, (DOCS / "problems.md").read_text(encoding="utf-8")) + "\n"
    found = faults(page)
    if found:
        sys.exit("\n".join(found))
    if sys.argv[1:] != ["--check"]:
        PAGE.write_text(page, encoding="utf-8")
        print("wrote docs/reference.html")
    elif page != PAGE.read_text(encoding="utf-8"):
        sys.exit(STALE)


if __name__ == "__main__":
    main()
