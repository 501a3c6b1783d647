"""Tests that a change runs the suites that it can break."""

import re
import unittest
from pathlib import Path

from affected import JOBS, RULES, affected

ROOT = Path(__file__).resolve().parent.parent


class Affected(unittest.TestCase):
    def test_change_runs_what_it_can_break(self):
        for paths, expected in (
            (["docs/adr/0001-a.md"], []),
            (["infra/template.yaml", "docs/adr/0001-a.md"], ["deployment"]),
            (["clients/sdk/core/src/lib.rs"], ["cargo", "sdk"]),
            (["tests/browser/login.test.mjs", "tests/sdk/a.mjs"], ["browser", "openid", "sdk"]),
        ):
            self.assertEqual(affected(paths), expected, paths)

    def test_path_that_no_rule_names_runs_everything(self):
        for path in ("Cargo.lock", "shared/domain/src/lib.rs", "scripts/test.sh", "new/a.txt", "docs.md"):
            self.assertEqual(affected([path]), list(JOBS), path)

    def test_jobs_are_the_suites_of_make_test(self):
        script = (ROOT / "scripts/test.sh").read_text(encoding="utf-8")
        suites = re.search('^all="(.+)"$', script, re.MULTILINE)[1].split()
        self.assertEqual(sorted(" ".join(JOBS.values()).split()), sorted(suites))

    def test_each_rule_names_what_exists(self):
        for beginning, jobs in RULES:
            self.assertTrue((ROOT / beginning).is_dir(), beginning)
            self.assertLessEqual(set(jobs.split()), set(JOBS), beginning)


if __name__ == "__main__":
    unittest.main()
