"""Tests of `release_notes`."""

import unittest

from release_notes import notes

WORKSPACE = '[workspace.package]\nversion = "1.2.3"\n'
CHANGELOG = """# Changelog

## [Unreleased]

## [1.2.3] - 2026-01-02

### Added

- A thing.

## [1.2.2] - 2026-01-01

- Another.
"""


class Notes(unittest.TestCase):
    def test_section_of_the_tag_is_returned(self):
        self.assertEqual(notes("v1.2.3", WORKSPACE, CHANGELOG), "### Added\n\n- A thing.")

    def test_tag_without_version_or_section_is_refused(self):
        for tag, changelog in (
            ("v1.2.4", CHANGELOG),
            ("1.2.3", CHANGELOG),
            ("v1.2.3", CHANGELOG.replace("2026-01-02", "soon")),
            ("v1.2.3", "## [1.2.3] - 2026-01-02\n\n## [1.2.2] - 2026-01-01\n"),
        ):
            with self.subTest(tag), self.assertRaises(SystemExit):
                notes(tag, WORKSPACE, changelog)


if __name__ == "__main__":
    unittest.main()
