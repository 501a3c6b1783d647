"""Checks that no test is disabled or retried, and that tests wait for conditions instead of sleeping.

A sleep that does not synchronise, such as a receiver that plays dead or a pace to keep, needs a comment
with the reason, `sleep: <why>`, on its line or just above.
"""

import re

import tree

NEVER = [
    (re.compile(r"#!?\[\s*ignore\b|#\[\s*cfg_attr\([^]]*\bignore\b"), "a test that never runs"),
    (re.compile(r"\b(?:test|it|describe)\.(?:only|skip|todo|fixme)\b"), "a test that is not run"),
    (re.compile(r"\bretries\s*:\s*[1-9]"), "a test that is retried"),
]
IGNORED_EXAMPLE = re.compile(r"^\s*//[/!]\s*```.*\bignore\b")
SLEEP = re.compile(
    r"\b(?:sleep|sleep_until|park_timeout|sleep_ms)\s*\("
    r"|\b(?:setTimeout|waitForTimeout)\s*\(|timers/promises"
)
WHY = re.compile(r"(?://|#|\*).*\bsleep: \S")
COMMENT = re.compile(r"^\s*(?://|#(?!\[)|\*|/\*)")
CODE = (".rs", ".mjs", ".js", ".ts", ".py", ".go", ".java")


def is_test_file(path):
    """Returns whether all of a file is test code."""
    parts = path.parts
    return "tests" in parts[:-1] or path.stem == "tests" or path.stem.startswith("test_")


def test_lines(path, lines):
    """Returns the numbered lines of test code: the whole file, or the lines from `#[cfg(test)] mod` on."""
    if is_test_file(path):
        return list(enumerate(lines, 1))
    for index, line in enumerate(lines):
        opens = any(re.match(r"\s*mod \w+ \{", after) for after in lines[index + 1 : index + 6])
        if re.match(r"\s*#\[cfg\((?:test|all\(test)", line) and opens:
            return list(enumerate(lines, 1))[index:]
    return []


def explained(lines, number):
    """Returns whether a line, or the comment just above it, has the reason for a sleep."""
    if WHY.search(lines[number - 1]):
        return True
    above = number - 2
    while above >= 0 and COMMENT.match(lines[above]):
        if WHY.search(lines[above]):
            return True
        above -= 1
    return False


def findings(root):
    """Returns a line for each test that does not run, is retried, or sleeps."""
    found = []
    for path in tree.files(root, *CODE):
        name = path.relative_to(root)
        if name.parts[0] == "scripts":
            continue
        lines = tree.lines(path)
        for number, line in enumerate(lines, 1):
            if IGNORED_EXAMPLE.match(line):
                found.append(f"{name}:{number}: an example that never runs")
            if COMMENT.match(line):
                continue
            found += [f"{name}:{number}: {what}" for pattern, what in NEVER if pattern.search(line)]
        for number, line in test_lines(name, lines):
            if SLEEP.search(line) and not COMMENT.match(line) and not explained(lines, number):
                found.append(f"{name}:{number}: a sleep without `sleep: <why>`: {line.strip()}")
    return found


if __name__ == "__main__":
    tree.finish(findings(tree.ROOT))
