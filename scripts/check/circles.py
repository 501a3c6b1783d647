"""Checks that the modules of a crate have no circular dependencies.

The children of each module form one graph: the top-level modules of a crate, and the modules of
each folder. A module uses another if any file below it names a path into the other, directly or
through a re-export. A parent and its own child are not a circle. Tests may use anything and are
left out.
"""

import graphlib

import tree_sitter_rust
from tree_sitter import Language, Parser

import tree

RUST = Parser(Language(tree_sitter_rust.language()))
COMMENTS = ("line_comment", "block_comment")
ROOTS = ("crate", "self", "super")
OF_TESTS = ("#[cfg(test)", "#[cfg(all(test")


def named(node, field):
    """Returns the name in a field of a node."""
    return node.child_by_field_name(field).text.decode()


def segments(node):
    """Returns the parts of a path."""
    return [part.strip().removeprefix("r#") for part in node.text.decode().split("::")]


def leaves(node, prefix=()):
    """Yields the paths of a `use` tree, each with the name that it brings into scope."""
    match node.type:
        case "line_comment" | "block_comment":
            pass
        case "use_list":
            for child in node.named_children:
                yield from leaves(child, prefix)
        case "scoped_use_list":
            path = node.child_by_field_name("path")
            inside = (*prefix, *(segments(path) if path else ()))
            yield from leaves(node.child_by_field_name("list"), inside)
        case "use_as_clause":
            for path, _ in leaves(node.child_by_field_name("path"), prefix):
                yield path, named(node, "alias")
        case "self" if prefix:
            yield prefix, prefix[-1]
        case _:
            path = (*prefix, *segments(node))
            yield path, path[-1]


def paths(tokens):
    """Yields the paths from the crate or from a module in a list of tokens, each with its first token."""
    texts = [token.text.decode() for token in tokens]
    for at, token in enumerate(tokens):
        if token.type not in ROOTS or texts[at - 1 : at] == ["::"]:
            continue
        end = at + 1
        while texts[end : end + 1] == ["::"] and "".join(texts[end + 1 : end + 2]).removeprefix("r#").isidentifier():
            end += 2
        if end > at + 1:
            yield [part.removeprefix("r#") for part in texts[at:end:2]], token


class Crate:
    """The modules of a crate, with the paths that each one re-exports and uses."""

    def __init__(self, source):
        self.modules, self.tests = set(), set()
        self.reexports = {}
        self.uses = []
        for path in sorted(source.rglob("*.rs")):
            parts = path.relative_to(source).with_suffix("").parts
            module = () if parts in (("lib",), ("main",)) else parts
            self.read(path, module, RUST.parse(path.read_bytes()).root_node)
        self.modules = {module for module in self.modules if not self.is_test(module)}
        self.resolved = [
            (module, target, place)
            for module, path, place in self.uses
            if not self.is_test(module) and (target := self.resolve(module, path)) is not None
        ]

    def is_test(self, module):
        """Returns whether a module is compiled only for tests."""
        return any(module[:length] in self.tests for length in range(1, len(module) + 1))

    def read(self, path, module, body):
        """Records the paths in a module's source, and in the modules inside it."""
        self.modules.add(module)
        tokens = []
        self.visit(path, module, body, tokens)
        for segments, token in paths(tokens):
            self.uses.append((module, segments, (path, token.start_point.row + 1)))

    def visit(self, path, module, node, tokens):
        """Records the `use` declarations and the modules below a node, and adds all other tokens to a list."""
        only_tests = False
        for child in node.children:
            if child.type == "attribute_item":
                only_tests |= child.text.decode().startswith(OF_TESTS)
            if child.type in COMMENTS or child.type.endswith("_literal"):
                continue
            if only_tests and child.type != "attribute_item":
                only_tests = False
                if child.type == "mod_item":
                    self.tests.add((*module, named(child, "name")))
            elif child.type == "use_declaration":
                self.use(path, module, child)
            elif child.type == "mod_item" and child.child_by_field_name("body"):
                self.read(path, (*module, named(child, "name")), child.child_by_field_name("body"))
            elif child.children:
                self.visit(path, module, child, tokens)
            else:
                tokens.append(child)

    def use(self, path, module, declaration):
        """Records the paths of a `use` declaration."""
        public = declaration.children[0].type == "visibility_modifier"
        for segments, name in leaves(declaration.child_by_field_name("argument")):
            self.uses.append((module, segments, (path, declaration.start_point.row + 1)))
            if public:
                self.reexports.setdefault(module, []).append((name, segments))

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
