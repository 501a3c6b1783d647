"""Nothing in the tree tells where it was made: no package registry, no path of one machine.

Cargo.lock names the public index in the form that cargo writes, which no pattern here matches.
"""

import re

import tree

# Each pattern is spelt so that it does not match its own line.
FORBIDDEN = [
    (r"registry\.(?:npmjs|yarnpkg)\.", "a registry host"),
    (r"\b(?:files\.pythonhosted|test\.pypi|pypi)\.org", "a registry host"),
    (r"\b(?:index|static)\.crates\.io", "a registry host"),
    (r"\bproxy\.golang\.org", "a registry host"),
    (r"\brepo1?\.maven\.", "a registry host"),
    (r"\b(?:deb|security)\.debian\.org", "a registry host"),
    (r"(?i)\b(?:[a]rtifactory|[v]erdaccio|[s]onatype)\b", "a registry"),
    (r'"resolved"\s*:', "an address in a lock file"),
    (r"^\s*--(?:extra-)?(?:index-url|find-links|trusted-host)\b", "an address in a lock file"),
    (r"(?<![\w.~$}\]-])/(?:work|root|brief)(?=[/\s\"'`)]|$)", "a path of one machine"),
    (r"(?<![\w.~$}\]-])/(?:home|Users)/\w", "a path of one machine"),
    (r"(?<![\w.~$}\]-])/tmp/(?:target|brief)\b", "a path of one machine"),
    (r"(?<![\w+/=])A[I](?![\w+/=])", "who wrote it"),
    (r"(?i)\bco-authored-[b]y\b", "who wrote it"),
    (r"\b[i]ssue #?\d", "a number that means nothing outside"),
]
PATTERNS = [(re.compile(pattern), what) for pattern, what in FORBIDDEN]


def findings(root):
    """One line for each place that says too much."""
    return [
        f"{path.relative_to(root)}:{number}: {what}: {line.strip()[:80]}"
        for path in tree.files(root)
        for number, line in enumerate(tree.lines(path), 1)
        for pattern, what in PATTERNS
        if pattern.search(line)
    ]


if __name__ == "__main__":
    tree.finish(findings(tree.ROOT))
