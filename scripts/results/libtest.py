"""Runs Rust tests and reports each outcome as JUnit XML.

    libtest.py REPORT COMMAND...

`cargo test` calls this script as its runner, once for each test executable. REPORT is then a folder
(with a slash at its end), and the report is named after the executable. Documentation tests do not
support a runner: COMMAND is then `cargo test --doc`, and REPORT a file.

Stable libtest has no machine-readable output, but tools may rely on two interfaces:
`--list --format terse` names the tests, and the exit status says whether one failed. This script looks
for names in the text only after a failure, and for times, and accepts only names in the list. libtest prints
times only if RUSTC_BOOTSTRAP is set; a report without times counts the same.
"""

import os
import re
import signal
import subprocess
import sys
import threading
import xml.etree.ElementTree as ElementTree
from pathlib import Path

LINE = re.compile(
    r"^test (?P<name>.+?)(?: - should panic)? \.\.\. (?P<outcome>\w+).*?(?: <(?P<seconds>[\d.]+)s>)?$"
)
TIMES = ("-Z", "unstable-options", "--report-time")
# libtest exits with this status after a failed test; cargo passes it on.
SOME_FAILED = 101
# Seconds after which tests are considered hung and are stopped, so that the others still run. The slowest
# executable needs about two minutes; documentation tests are also compiled in this time.
LIMIT = 2400


def listed(command, *options):
    """Returns the names of the tests that `command` would run."""
    listing = subprocess.run(
        [*command, *options, "--list", "--format", "terse"],
        stdout=subprocess.PIPE,
        check=False,
        text=True,
        encoding="utf-8",
    )
    if listing.returncode != 0:
        print("the tests could not be listed", file=sys.stderr)
        sys.exit(listing.returncode)
    suffix = ": test"
    lines = listing.stdout.splitlines()
    return [line[: -len(suffix)] for line in lines if line.endswith(suffix)]


def run(command, limit, *options, **variables):
    """Runs the tests, shows their output, and returns the exit status, the names of failed tests, and the
    seconds that each test took.

    Tests still running after `limit` seconds are killed. The log then names them: libtest says which
    tests run for over a minute.
    """
    failed, seconds = set(), {}
    # A separate group, because tests start programs that would keep the pipe open.
    with subprocess.Popen(
        [*command, *options],
        stdout=subprocess.PIPE,
        process_group=0,
        env={**os.environ, **variables},
    ) as tests:
        def kill():
            os.killpg(tests.pid, signal.SIGKILL)

        def give_up():
            print(f"stopped after {limit} s: {command[0]}", file=sys.stderr)
            kill()

        timer = threading.Timer(limit, give_up)
        timer.start()
        try:
            for line in tests.stdout:
                sys.stdout.buffer.write(line)
                sys.stdout.buffer.flush()
                if match := LINE.match(line.decode("utf-8", "replace").rstrip()):
                    if match["outcome"] == "FAILED":
                        failed.add(match["name"])
                    if match["seconds"]:
                        seconds[match["name"]] = match["seconds"]
        except BaseException:
            kill()
            raise
        finally:
            timer.cancel()
    return tests.returncode, failed, seconds


def report(suite, names, ignored, status, failed, seconds):
    """Returns the report of one run."""
    root = ElementTree.Element("testsuite", name=suite)
    # Without cargo's hash, which means nothing to readers.
    group = suite.rpartition("-")[0] or suite

    def case(name):
        return ElementTree.SubElement(root, "testcase", classname=group, name=name)

    failed = failed & set(names)
    if status != 0 and (status != SOME_FAILED or not failed):
        # After a crash, it is unknown which tests had passed.
        whole = case("(the whole executable)")
        ElementTree.SubElement(whole, "error", message=f"ended with status {status}")
        return root
    for name in names:
        outcome = case(name)
        if name in seconds:
            outcome.set("time", seconds[name])
        if name in failed:
            ElementTree.SubElement(outcome, "failure", message="see the log")
        elif name in ignored:
            ElementTree.SubElement(outcome, "skipped", message="ignored")
    return root


def main(path, *command, limit=LIMIT):
    """Runs `command`, writes its report to `path`, and returns the exit status."""
    names, ignored, options, variables = listed(command), set(), (), {}
    if path.endswith("/"):
        ignored.update(listed(command, "--ignored"))
        # Not for `cargo test --doc`: build scripts read this variable, so most crates would be built again.
        options, variables = TIMES, {"RUSTC_BOOTSTRAP": "1"}
        path = f"{path}{Path(command[0]).name}.xml"
    suite = Path(path).stem
    status, failed, seconds = run(command, limit, *options, **variables)
    root = report(suite, names, ignored, status, failed, seconds)
    ElementTree.ElementTree(root).write(path, encoding="utf-8", xml_declaration=True)
    # A negative status is the number of a signal.
    return status if status >= 0 else 128 - status


if __name__ == "__main__":
    # Also ends the tests, which are in a separate group.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    sys.exit(main(*sys.argv[1:]))
