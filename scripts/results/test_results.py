"""Tests that the counts match the reports, and that nothing counts as passed without having run."""

import json
import os
import stat
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
from contextlib import redirect_stdout
from io import BytesIO, TextIOWrapper
from pathlib import Path
from unittest import mock

import libtest
import summary

# Simulates a test executable. argv[1] is the exit status, and the rest are libtest's options.
EXECUTABLE = """#!{python}
import os, signal, subprocess, sys
status = int(sys.argv[1])
if "--ignored" in sys.argv:
    print("later: test")
elif "--list" in sys.argv:
    print("first: test\\nsecond: test\\nthird: test\\nlater: test\\n\\n4 tests, 0 benchmarks")
else:
    print("test first ... ok <0.250s>")
    if status:
        print("test second ... FAILED <1.000s>\\ntest third - should panic ... FAILED")
        print("test made::up ... FAILED")
    if status == 86:
        print("and test second hangs, with a program of its own", flush=True)
        subprocess.run([sys.executable, "-c", "import signal; signal.pause()"])
    if status < 0:
        sys.stdout.flush()
        os.kill(os.getpid(), -status)
    sys.exit(status)
"""


class Folder(unittest.TestCase):
    """Gives each test a new folder."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)


class Libtest(Folder):
    def report(self, status, limit=libtest.LIMIT):
        executable = self.folder / "unit-0123"
        executable.write_text(EXECUTABLE.format(python=sys.executable), encoding="utf-8")
        executable.chmod(stat.S_IRWXU)
        with redirect_stdout(TextIOWrapper(BytesIO())):
            code = libtest.main(f"{self.folder}/", str(executable), str(status), limit=limit)
        root = ElementTree.parse(self.folder / "unit-0123.xml").getroot()
        self.assertTrue(all(case.get("classname") == "unit" for case in root))
        self.times = {case.get("name"): case.get("time") for case in root if case.get("time")}
        return code, [(case.get("name"), [e.tag for e in case]) for case in root]

    def test_status_zero_passes_every_listed_test(self):
        cases = [("first", []), ("second", []), ("third", []), ("later", ["skipped"])]
        self.assertEqual(self.report(0), (0, cases))
        self.assertEqual(self.times, {"first": "0.250"})

    def test_failed_tests_are_reported_by_name(self):
        failed = [("second", ["failure"]), ("third", ["failure"])]
        cases = [("first", []), *failed, ("later", ["skipped"])]
        self.assertEqual(self.report(101), (101, cases))
        self.assertEqual(self.times, {"first": "0.250", "second": "1.000"})

    def test_crash_reports_the_whole_executable_as_failed(self):
        crash = [("(the whole executable)", ["error"])]
        self.assertEqual(self.report(-6), (134, crash))
        self.assertEqual(self.report(3), (3, crash))

    def test_hanging_tests_are_stopped(self):
        hung = [("(the whole executable)", ["error"])]
        self.assertEqual(self.report(86, limit=1), (137, hung))


class Summary(Folder):
    FINE = '<testsuites><testsuite><testcase classname="a" name="b"/></testsuite></testsuites>'

    def summarise(self, suites="node", failed="", skips=()):
        with mock.patch.dict(os.environ):
            os.environ.pop("COUNTERSIGN_NO_SKIPS", None)
            times = dict.fromkeys(suites.split(), 7)
            return summary.summarise(self.folder, skips, times, failed.split())

    def plant(self, name, text):
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def test_outcomes_are_counted(self):
        self.plant(
            "node.xml",
            '<testsuites><testsuite name="x"><testcase name="a"/><testcase name="b"><failure/>'
            '</testcase></testsuite><testcase name="c"><error/></testcase>'
            '<testcase name="d"><skipped message="no browser"/></testcase></testsuites>',
        )
        lines, fine = self.summarise(skips=["SKIPPED: e: no java"])
        self.assertFalse(fine)
        self.assertIn("failed: node: b", lines)
        self.assertIn("!!!!! SKIPPED: node: d: no browser", lines)
        self.assertIn("!!!!! SKIPPED: e: no java", lines)
        summed = "tests: FAILED (node): 1 passed; 2 failed; 2 skipped (node 1/3 in 7 s)"
        self.assertEqual(lines[-1], summed)

    def test_suite_without_results_fails(self):
        self.assertFalse(self.summarise()[1])
        for text in ("", "<testsuites", "<testsuites/>", "<testsuites><testcase name='a'>"):
            with self.subTest(text):
                self.plant("node.xml", text)
                self.assertFalse(self.summarise()[1])

    def test_failed_runner_fails_the_suite(self):
        self.plant("node.xml", self.FINE)
        self.assertTrue(self.summarise()[1])
        self.assertFalse(self.summarise(failed="node")[1])
        self.assertFalse(self.summarise(failed="build")[1])

    def test_executable_without_a_report_fails_the_suite(self):
        built = [
            {"reason": "compiler-artifact", "executable": "/t/a-1", "profile": {"test": True}},
            {"reason": "compiler-artifact", "executable": "/t/b-2", "profile": {"test": True}},
            {"reason": "compiler-artifact", "executable": "/t/c-3", "profile": {"test": False}},
            {"reason": "compiler-artifact", "executable": None, "profile": {"test": True}},
            {"reason": "build-finished", "success": True},
        ]
        self.plant("cargo/expected.json", "\n".join(map(json.dumps, built)))
        self.plant("cargo/a-1.xml", self.FINE)
        lines, fine = self.summarise("cargo")
        self.assertFalse(fine)
        self.assertIn("fault: cargo wrote no report for b-2", lines)
        self.plant("cargo/b-2.xml", "<testsuite/>")
        lines, fine = self.summarise("cargo")
        self.assertTrue(fine)
        self.assertEqual(lines, ["tests: ok: 1 passed; 0 failed; 0 skipped (cargo 1/1 in 7 s)"])

    def test_skips_fail_only_with_no_skips_set(self):
        self.plant("node.xml", self.FINE)
        skips = ["SKIPPED: e: no java"]
        self.assertTrue(self.summarise(skips=skips)[1])
        with mock.patch.dict(os.environ, COUNTERSIGN_NO_SKIPS="1"):
            self.assertFalse(summary.summarise(self.folder, skips, {"node": 7}, [])[1])


if __name__ == "__main__":
    unittest.main()
