"""Checks that the modules that docs/architecture.md names exist, and that they define the items that it names.

Paths there leave out `shared/` and `src/`: `domain/store/form` is shared/domain/src/store/form.rs, or a folder of that name.
"""

import re

import tree

PAGE = "docs/architecture.md"
FOLDERS = {"cli": "cli", "domain": "shared/domain"} | {
    name: f"shared/{name}"
    for name in ("api", "aws", "carrier", "embedded", "inbound", "proof", "sealing", "system", "webhook")
}
# In tables a path is between backticks; in the journeys it is at the start of a line or after an arrow, with an item.
PATH = re.compile(r"`([a-z]+(?:/[a-z_]+)+)`|(?<![\w/`])([a-z]+(?:/[a-z_]+)+)::(\w+)")
ITEM = r"\b(?:fn|struct|enum|trait|mod|type|const)\s+{}\b"


def place(root, path):
    """Returns the module's file or folder, or `None` if it does not exist. Paths outside of the crates are whole."""
    crate, _, rest = path.partition("/")
    below = [root / path]
    if crate in FOLDERS:
        below += [root / FOLDERS[crate] / "src" / f"{rest}.rs", root / FOLDERS[crate] / "src" / rest]
        below += [root / FOLDERS[crate] / rest]
    return next((at for at in below if at.exists()), None)


def findings(root):
    """Returns a line for each path that leads nowhere, and for each item that its module does not define."""
    found = []
    for number, line in enumerate(tree.lines(root / PAGE), 1):
        for table, journey, item in PATH.findall(line):
            path = table or journey
            module = place(root, path)
            if module is None:
                found.append(f"{PAGE}:{number}: there is no module {path}")
            elif item and module.is_file() and not re.search(ITEM.format(item), module.read_text(encoding="utf-8")):
                found.append(f"{PAGE}:{number}: {path} does not define {item}")
    return found


if __name__ == "__main__":
    tree.finish(findings(tree.ROOT))
