"""Checks that comments and pages hardly use turns of phrase that a native technical writer avoids.

Prints the figure for each; with `--lines`, or above the limit, also the lines. A phrase may be right where it stands, so the
limit is not zero: about 3 in 10,000 words is usual.

    python3 scripts/check/english.py --lines docs shared/domain
"""

import re
import sys

import tree

LIMIT = 10  # in 10,000 words

PHRASES = {
    "indefinite people: nobody, anybody, somebody, whoever": r"\b(?:nobody|anybody|somebody|whoever)\b",
    "of its own, for its own or a separate one": r"\bof (?:its|their|our|his|your|one's) own\b",
    "alone, for only": r"\b(?<!leave )(?<!leaves )(?!(?:let|leave|left|not|stand|stands) )\w+ alone\b",
    "those that, without a noun": r"\bthose (?:that|who|of)\b",
    "anew, besides, beforehand, thereby, at once": r"\b(?:anew|besides|beforehand|thereby|hereby|at once)\b",
    "is no, for is not a": r"\b(?<!there )(?:is|are|was|were) no (?!longer|more|such|need|way|point|reason|guarantee)\w+",
    "has none, is none": r"\b(?<!there )(?:has|have|is|are|names|holds|gets|needs) (?-i:none)\b",
    "is told, owed, vouch": r"\b(?:vouch\w*|is told|are told|owes?|owed)\b",
    "a first sentence with What, How, Who": r"\A(?:What|How|Who|Whose) (?!to )[^?]*\Z",
}
PATTERNS = {name: re.compile(pattern, re.IGNORECASE) for name, pattern in PHRASES.items()}

SLASHES = (".rs", ".js", ".mjs", ".cjs", ".ts", ".tsx", ".go", ".kt", ".kts", ".java", ".swift")
HASHES = (".py", ".sh", ".yml", ".yaml", ".toml")
LEFT_OUT = re.compile(r"/dist/|\.d\.ts$|\.gen\.go$|countersign/(?:types|requests)\.py$")  # Generated.

SLASH_COMMENT = re.compile(r"^\s*(?:///?!?|/\*\*?|\*(?= |$)) ?(?P<text>.*?)(?:\*/)?\s*$|\s// (?P<after>.*)$")
HASH_COMMENT = re.compile(r"^\s*#(?!!) ?(?P<text>.*)$|\s# (?P<after>.*)$")
DOCSTRING = re.compile(r'^\s*"""(?P<text>.*?)(?P<end>""")?\s*$')
# Counts only where a comment begins.
OPENING = "a first sentence with What, How, Who"


def paragraphs(name, lines):
    """Yields each line of prose: its number, its text, and whether it opens a comment."""
    fenced = docstring = commented = False
    for number, line in enumerate(lines, 1):
        if name.endswith(".md"):
            fenced ^= line.lstrip().startswith("```")
            if not fenced and not line.startswith("#"):
                yield number, re.sub(r"`[^`]*`|\]\([^)]*\)", "`", line), False
            continue
        if name.endswith(".py") and not docstring and (match := DOCSTRING.match(line)):
            docstring = match["end"] is None
            yield number, match["text"], True
            continue
        if docstring:
            docstring = '"""' not in line
            yield number, line.replace('"""', ""), False
            continue
        match = (SLASH_COMMENT if name.endswith(SLASHES) else HASH_COMMENT).search(line)
        if match:
            yield number, re.sub(r"`[^`]*`", "`", match["text"] or match["after"] or ""), not commented
        commented = match is not None


def marks(name, lines):
    """Returns the number of words in a file's prose, and each use of a phrase with its line."""
    words, found = 0, []
    for number, text, opens in paragraphs(name, lines):
        words += len(text.split())
        for phrase, pattern in PATTERNS.items():
            if phrase != OPENING or opens:
                found += [(phrase, number, text.strip())] * len(pattern.findall(text))
    return words, found


def count(root, below=()):
    """Returns the words of all prose below some paths, and the uses of each phrase."""
    words, uses = 0, {phrase: [] for phrase in PHRASES}
    for path in tree.files(root, ".md", *SLASHES, *HASHES):
        name = path.relative_to(root).as_posix()
        if LEFT_OUT.search(name) or (below and not any(name == at or name.startswith(f"{at}/") for at in below)):
            continue
        more, found = marks(name, tree.lines(path))
        words += more
        for phrase, number, text in found:
            uses[phrase].append(f"{name}:{number}: {text}")
    return words, uses


def rate(words, uses):
    """Returns how many uses there are in 10,000 words."""
    return 1e4 * sum(map(len, uses.values())) / max(words, 1)


def main(arguments):
    """Prints the figures, and returns the exit code."""
    words, uses = count(tree.ROOT, [at.rstrip("/") for at in arguments if at != "--lines"])
    above = rate(words, uses) > LIMIT
    for phrase, places in uses.items():
        print(f"{len(places):5}  {phrase}")
        if above or "--lines" in arguments:
            print("".join(f"       {place}\n" for place in places), end="")
    print(f"{rate(words, uses):.1f} in 10,000 words of {words}; the limit is {LIMIT}")
    return int(above)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
