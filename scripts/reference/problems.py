"""Reads docs/problems.md."""

import re
from dataclasses import dataclass

from text import paragraphs


@dataclass
class Problem:
    """A problem, as the page explains it."""

    code: str
    status: str
    title: str
    body: str


@dataclass
class Group:
    """A section of problems."""

    title: str
    intro: str
    problems: list


def problem(text):
    """Reads a problem from the text after `### `."""
    heading, status, title, body = re.fullmatch(r"`([a-z_]+)`\n\n(\d{3}) · ([^\n]+)\n\n(.+)", text, re.DOTALL).groups()
    return Problem(heading, status, title, paragraphs(body))


def read(page):
    """Returns the introduction and the groups."""
    intro, *sections = re.split(r"^## ", page, flags=re.MULTILINE)
    groups = []
    for section in sections:
        head, *problems = re.split(r"^### ", section, flags=re.MULTILINE)
        title, _, text = head.partition("\n")
        groups.append(Group(title.strip(), paragraphs(text.strip()), [problem(text.strip()) for text in problems]))
    return paragraphs(intro.partition("\n")[2].strip()), groups
