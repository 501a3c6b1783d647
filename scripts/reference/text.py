"""Turns the Markdown of the API's description and of docs/problems.md into HTML."""

import re

from markdown_it import MarkdownIt
from markupsafe import Markup

MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable("table")
LINK = re.compile(r"\[([^\]]+)\]\(([^)\s]+)\)")


def here(match):
    """Rewrites a link of a page in docs/. The service has only docs/problems.md, so other pages are named."""
    words, target = match.groups()
    page, _, fragment = target.partition("#")
    if target.startswith("https://"):
        return match.group()
    if page in ("", "problems.md"):
        return f"[{words}](#{fragment})"
    return f"{words} (`docs/{page}`)"


def paragraphs(markdown):
    """Renders blocks."""
    return Markup(MARKDOWN.render(LINK.sub(here, markdown)))


def words(markdown):
    """Renders a text within a line."""
    return Markup(MARKDOWN.renderInline(LINK.sub(here, markdown)))


def path(text):
    """Lets a path break after its slashes, and marks what a caller fills in."""
    parts = re.split(r"(\{[a-zA-Z]+\})", text)
    marked = (Markup("<i>{}</i>").format(part) if part.startswith("{") else breakable(part) for part in parts)
    return Markup("").join(marked)


def breakable(text):
    """Lets a text break after its slashes."""
    return Markup("/<wbr>").join(text.split("/"))
