"""Warns about long files, which are hard to read in one go."""

import tree

# Lines of a file.
LONG = 400


def warnings(root):
    """Returns a line for each Rust file that is too long."""
    return [
        f"{path.relative_to(root)}: has {length} lines, more than {LONG}"
        for path in tree.files(root, ".rs")
        if (length := len(tree.lines(path))) > LONG
    ]


if __name__ == "__main__":
    tree.finish([], warnings(tree.ROOT))
