"""Prints which jobs of the hosted workflow a change can break, as the matrix of the workflow.

    git diff --name-only BASE HEAD | python3 scripts/affected.py

A path that no rule names belongs to everything, so a new folder is tested before anyone thinks of this file.
"""

import json
import sys

# The suites of each job, as `make test ONLY=…` names them.
JOBS = {
    "cargo": "cargo",
    "browser": "widget console authorize phone assistants browser",
    "openid": "openid",
    "openapi": "libraries packages openapi",
    "deployment": "deployment",
    "sdk": "sdk",
}

# The suites that a path can break, by path prefix; the first match decides. Rust tests read the documentation, and
# package and browser tests read the READMEs and the examples.
RULES = (
    ("docs/adr/", ""),
    ("docs/", "cargo browser openapi deployment"),
    ("benches/", "cargo"),
    ("fuzz/", ""),
    ("clients/widget/", "cargo browser openid openapi"),
    ("clients/console/", "cargo browser"),
    ("clients/authorize/", "cargo browser openid"),
    ("clients/phone/", "cargo browser"),
    ("clients/sdk/", "cargo sdk"),
    ("clients/node/", "cargo browser openapi"),
    ("clients/better-auth/", "cargo browser openapi"),
    ("clients/authenticator/", "cargo browser openapi"),
    ("clients/python/", "cargo browser openapi"),
    ("clients/go/", "cargo browser openapi"),
    ("clients/rust/", "cargo"),
    ("examples/", "cargo browser openapi"),
    ("infra/", "deployment"),
    ("functions/", "deployment"),
    ("shared/aws/", "cargo deployment"),
    ("tests/browser/", "browser openid"),
    ("tests/assistants/", "browser"),
    ("tests/openid/", "openid"),
    ("tests/openapi/", "openapi"),
    ("tests/packages/", "openapi sdk"),
    ("tests/deployment/", "deployment"),
    ("tests/sdk/", "sdk"),
    ("tests/e2e/", "cargo"),
    ("tests/simulation/", "cargo"),
    ("tests/fuzz-targets/", "cargo"),
)


def affected(paths):
    """Returns the names of the jobs that changed paths can break."""
    jobs = set()
    for path in paths:
        fitting = (names for beginning, names in RULES if path.startswith(beginning))
        jobs.update(next(fitting, " ".join(JOBS)).split())
    return [name for name in JOBS if name in jobs]


if __name__ == "__main__":
    names = affected(sys.stdin.read().split("\n")[:-1])
    print(json.dumps({"include": [{"name": name, "suites": JOBS[name]} for name in names]}))
