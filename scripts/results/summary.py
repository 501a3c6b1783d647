"""Counts the results of every suite from the runners' JUnit reports, and names the slowest tests.

    summary.py REPORTS SKIP_LOG TIMES FAILED

TIMES has a line `SUITE SECONDS` for each command of a suite that ran; the seconds of a suite are added up.
REPORTS holds one report for each suite: `NAME.xml`, or a folder `NAME` of reports. A folder may
contain `expected.json`, the messages of `cargo test --no-run`. It then needs a report for each test
executable in these messages. FAILED lists the suites whose runner exited with an error. SKIP_LOG lists
skips that a runner counts as passed, one line each. With COUNTERSIGN_NO_SKIPS=1 a skip is a failure.
"""

import json
import os
import sys
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass, field
from pathlib import Path


# Number of slowest tests that are listed.
SLOWEST = 5


@dataclass
class Results:
    """The outcomes of one suite."""

    passed: int = 0
    failed: list = field(default_factory=list)
    skipped: list = field(default_factory=list)
    # Reasons not to trust the counts.
    faults: list = field(default_factory=list)
    # Pairs of a test's duration in seconds and its name. Runners that do not report it leave them out.
    seconds: list = field(default_factory=list)

    def add(self, report):
        """Adds every test of a report."""
        for case in ElementTree.parse(report).getroot().iter("testcase"):
            group = case.get("classname")
            # Node.js has no groups, and writes `test` instead.
            name = case.get("name") if group in (None, "test") else f"{group} {case.get('name')}"
            if case.find("failure") is not None or case.find("error") is not None:
                self.failed.append(name)
            elif (skipped := case.find("skipped")) is not None:
                self.skipped.append(f"{name}: {skipped.get('message')}")
            else:
                self.passed += 1
            if case.get("time"):
                self.seconds.append((float(case.get("time")), name))


def executables(messages):
    """Returns the names of the test executables in cargo's messages."""
    found = set()
    for line in messages.read_text(encoding="utf-8").splitlines():
        message = json.loads(line)
        if message.get("executable") and message["profile"]["test"]:
            found.add(Path(message["executable"]).name)
    return found


def results(reports, suite):
    """Reads the reports of one suite."""
    folder = reports / suite
    found = sorted(folder.glob("*.xml")) if folder.is_dir() else [reports / f"{suite}.xml"]
    result = Results()
    for report in found:
        try:
            result.add(report)
        except FileNotFoundError:
            result.faults.append("wrote no report")
        except ElementTree.ParseError as error:
            result.faults.append(f"wrote a broken report: {report.name}: {error}")
    expected = folder / "expected.json"
    if expected.is_file():
        missing = executables(expected) - {report.stem for report in found}
        result.faults += [f"wrote no report for {name}" for name in sorted(missing)]
    if not result.passed and not result.failed and not result.faults:
        result.faults.append("ran no test")
    return result


def summarise(reports, skips, times, failed):
    """Returns the lines to print, with the summary as the last one, and whether everything passed."""
    lines, counts, faults, seconds = [], [], [], []
    passed = failures = 0
    skips = list(skips)
    for suite, took in times.items():
        result = results(reports, suite)
        passed += result.passed
        failures += len(result.failed)
        ran = result.passed + len(result.failed)
        counts.append(f"{suite} {result.passed}/{ran} in {took} s")
        seconds += [(took, f"{suite}: {name}") for took, name in result.seconds]
        lines += [f"failed: {suite}: {name}" for name in result.failed]
        lines += [f"fault: {suite} {fault}" for fault in result.faults]
        skips += [f"SKIPPED: {suite}: {name}" for name in result.skipped]
        if result.failed or result.faults or suite in failed:
            faults.append(suite)
    faults += [name for name in failed if name not in times]
    slowest = sorted(seconds, reverse=True)[:SLOWEST]
    lines += [f"slowest: {took:.1f} s: {name}" for took, name in slowest]
    if skips:
        lines.append("!!!!! NOT EVERYTHING RAN. Skipped, by name:")
        lines += [f"!!!!! {skip}" for skip in skips]
        if os.environ.get("COUNTERSIGN_NO_SKIPS"):
            faults.append("skipped-tests")
    verdict = f"FAILED ({' '.join(faults)})" if faults else "ok"
    lines.append(
        f"tests: {verdict}: {passed} passed; {failures} failed; {len(skips)} skipped"
        f" ({', '.join(counts)})"
    )
    return lines, not faults


def added_up(lines):
    """Returns the seconds of each suite, in the order in which they began."""
    times = {}
    for suite, seconds in map(str.split, lines):
        times[suite] = times.get(suite, 0) + int(seconds)
    return times


def main(reports, skip_log, times, failed):
    """Prints the summary, and exits with 1 if something failed."""
    skips = Path(skip_log).read_text(encoding="utf-8").splitlines()
    lines, fine = summarise(Path(reports), skips, added_up(times.splitlines()), failed.split())
    print("\n".join(lines))
    sys.exit(0 if fine else 1)


if __name__ == "__main__":
    main(*sys.argv[1:])
