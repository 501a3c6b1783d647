"""Checks that the modules of a crate have no circular dependencies.

The children of each module form one graph: the top-level modules of a crate, and the modules of
each folder. A module uses another if any file below it names a path into the other, directly or
through a re-export. A parent and its own child are not a circle. Tests may use anything and are
left out.
"""

import graphlib
import re

import tree

NOISE = re.compile(
    r"""(?P<blank>
        //[^\n]*
      | (?<![A-Za-z0-9_])b?r(?P<hashes>\#*)".*?"(?P=hashes)
      | b?"(?:\\.|[^"\\])*"
      | b?'(?:\\(?:'|[^\n']+)|[^\n'\\])'
    ) | /\*""",
    re.VERBOSE | re.DOTALL,
)
TEST_ITEM = re.compile(
    r"#\[cfg\((?:test|all\(test\b[^\]]*)\)\]\s*(?:#\[[^\]]*\]\s*)*"
    r"(?:pub(?:\([^)]*\))?\s+)?(?P<kind>mod|use|fn|impl|struct|const)\b\s*(?P<name>\w*)"
)
INLINE_MODULE = re.compile(r"\bmod\s+(?P<name>\w+)\s*\{")
USE = re.compile(r"\b(?P<public>pub(?:\([^)]*\))?\s+)?use\s+(?P<tree>[^;]+);")
PATH = re.compile(r"(?<![\w:$])(?:crate|self|super)(?:\s*::\s*(?:r#)?\w+)+")


def blanked(text):
    """Returns the source with comments and literals replaced by spaces, and the same lines."""
    out, at = [], 0
    while match := NOISE.search(text, at):
        out.append(text[at : match.start()])
        end = match.end()
        if match.group() == "/*":
            depth = 1
            while depth and (mark := re.compile(r"/\*|\*/").search(text, end)):
                depth += 1 if mark.group() == "/*" else -1
                end = mark.end()
            end = end if depth == 0 else len(text)
        out.append(re.sub(r"[^\n]", " ", text[match.start() : end]))
        at = end
    return "".join(out) + text[at:]


def closing(text, opening):
    """Returns the position after the brace that closes the one at `opening`."""
    depth = 0
    for at in range(opening, len(text)):
        depth += (text[at] == "{") - (text[at] == "}")
        if depth == 0:
            return at + 1
    return len(text)


def without_tests(text):
    """Returns the source without test code, and the names of the test modules that it declares."""
    declared = set()
    while match := TEST_ITEM.search(text):
        body = re.compile(r"[;{]").search(text, match.end())
        end = len(text) if body is None else body.end()
        if body is not None and body.group() == "{" and match["kind"] != "use":
            end = closing(text, body.start())
        elif match["kind"] == "mod":
            declared.add(match["name"])
        elif match["kind"] == "use":
            end = text.index(";", match.end()) + 1
        text = text[: match.start()] + re.sub(r"[^\n]", " ", text[match.start() : end]) + text[end:]
    return text, declared


def leaves(use):
    """Yields the paths of a `use` tree, each with the name that it brings into scope."""
    use = use.strip()
    if use.endswith("}") and "{" in use:
        prefix, inner = use[:-1].split("{", 1)
        parts, depth, start = [], 0, 0
        for at, character in enumerate(inner):
            depth += (character == "{") - (character == "}")
            if character == "," and depth == 0:
                parts.append(inner[start:at])
                start = at + 1
        for part in (*parts, inner[start:]):
            if part.strip():
                yield from leaves(prefix + part.strip())
        return
    path, _, alias = use.partition(" as ")
    segments = [segment.strip().removeprefix("r#") for segment in path.split("::")]
    if segments[-1] == "self":
        segments.pop()
    if segments and segments[0]:
        yield segments, alias.strip() or segments[-1]


class Crate:
    """The modules of a crate, with the paths that each one re-exports and uses."""

    def __init__(self, source):
        self.modules = {(): source}
        self.reexports = {}
        self.uses = []
        texts, tests = {}, set()
        for path in sorted(source.rglob("*.rs")):
            parts = path.relative_to(source).with_suffix("").parts
            module = () if parts in (("lib",), ("main",)) else parts
            text, declared = without_tests(blanked(path.read_text(encoding="utf-8")))
            texts[path] = (module, text)
            tests |= {(*module, name) for name in declared}
        for path, (module, text) in texts.items():
            if not any(module[:length] in tests for length in range(1, len(module) + 1)):
                self.read(path, module, text, 1)
        self.resolved = [
            (module, target, place)
            for module, path, place in self.uses
            if (target := self.resolve(module, path)) is not None
        ]

    def read(self, path, module, text, line):
        """Records the paths in a module's source, and in the modules inside it."""
        self.modules.setdefault(module, path)
        while match := INLINE_MODULE.search(text):
            end = closing(text, match.end() - 1)
            before = text[: match.end()].count("\n")
            self.read(path, (*module, match["name"]), text[match.end() : end - 1], line + before)
            text = text[: match.start()] + "\n" * text[match.start() : end].count("\n") + text[end:]
        for match in USE.finditer(text):
            place = (path, line + text[: match.start()].count("\n"))
            for segments, name in leaves(match["tree"]):
                self.uses.append((module, segments, place))
                if match["public"]:
                    self.reexports.setdefault(module, []).append((name, segments))
        for match in PATH.finditer(USE.sub(lambda use: "\n" * use.group().count("\n"), text)):
            segments = [part.strip().removeprefix("r#") for part in match.group().split("::")]
            place = (path, line + text[: match.start()].count("\n"))
            self.uses.append((module, segments, place))

    def resolve(self, module, segments, seen=()):
        """Returns the module that a path leads into, or `None` for a path into another crate."""
        segments = list(segments)
        if segments[0] == "crate":
            at, rest = (), segments[1:]
        elif segments[0] in ("self", "super"):
            at, rest = module, segments
            while rest and rest[0] in ("self", "super"):
                at = at[:-1] if rest.pop(0) == "super" else at
        elif (*module, segments[0]) in self.modules:
            at, rest = module, segments
        else:
            return None
        while rest and (*at, rest[0]) in self.modules:
            at, rest = (*at, rest[0]), rest[1:]
        if rest and (at, rest[0]) not in seen:
            for name, path in self.reexports.get(at, ()):
                if name == rest[0]:
                    target = self.resolve(at, [*path, *rest[1:]], (*seen, (at, rest[0])))
                    return at if target is None else target
        return at

    def edges(self):
        """Returns, for each parent, which of its children uses which other one, and where first."""
        graphs = {}
        for module, target, place in self.resolved:
            shared = 0
            while shared < min(len(module), len(target)) and module[shared] == target[shared]:
                shared += 1
            if shared < min(len(module), len(target)):
                graph = graphs.setdefault(module[:shared], {})
                graph.setdefault(module[shared], {}).setdefault(target[shared], place)
        return graphs


def circle_in(graph):
    """Returns the nodes of a circle, of which each uses the next, or `None`."""
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        return error.args[1][::-1]


def of_crate(root, directory):
    """Yields a finding for each group of siblings with a circle."""
    for parent, graph in sorted(Crate(directory / "src").edges().items()):
        if way := circle_in(graph):
            steps = []
            for here, there in zip(way, way[1:]):
                path, line = graph[here][there]
                steps.append(f"    {here} uses {there}: {path.relative_to(root)}:{line}")
            inside = "::".join(("crate", *parent))
            names = ", ".join(sorted(set(way)))
            yield "\n".join([f"{directory.relative_to(root)}: circle in {inside} ({names}):", *steps])


def findings(root):
    """Returns the circles of every crate."""
    manifests = tree.files(root, "Cargo.toml")
    crates = [manifest.parent for manifest in manifests if (manifest.parent / "src").is_dir()]
    return [line for directory in crates for line in of_crate(root, directory)]


if __name__ == "__main__":
    tree.finish(findings(tree.ROOT))
