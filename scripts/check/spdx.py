"""Evaluates licence expressions (SPDX 2.3, annex D), as far as crates use them."""

import re

TOKEN = re.compile(r"\s*([()/]|[A-Za-z0-9.+:-]+)")


def tokens(expression):
    """Returns the words of an expression. The slash in old crates means OR."""
    text, found, at = expression.strip(), [], 0
    while at < len(text):
        match = TOKEN.match(text, at)
        if not match:
            raise ValueError(f"not a licence expression: {expression!r}")
        found.append("OR" if match[1] == "/" else match[1])
        at = match.end()
    return found


def allowed(expression, licences):
    """Returns whether these `licences` satisfy `expression`.

    AND binds more tightly than OR. An exception (`X WITH Y`) must be listed with its licence.
    Raises ValueError for an invalid expression.
    """
    rest = tokens(expression)

    def take():
        if not rest:
            raise ValueError(f"not a licence expression: {expression!r}")
        return rest.pop(0)

    def one():
        word = take()
        if word == "(":
            value = either()
            if take() != ")":
                raise ValueError(f"not a licence expression: {expression!r}")
            return value
        if word in (")", "AND", "OR", "WITH"):
            raise ValueError(f"not a licence expression: {expression!r}")
        if rest[:1] == ["WITH"]:
            take()
            word = f"{word} WITH {take()}"
        return word in licences

    def both():
        value = one()
        while rest[:1] == ["AND"]:
            take()
            value = one() and value
        return value

    def either():
        value = both()
        while rest[:1] == ["OR"]:
            take()
            value = both() or value
        return value

    value = either()
    if rest:
        raise ValueError(f"not a licence expression: {expression!r}")
    return value
