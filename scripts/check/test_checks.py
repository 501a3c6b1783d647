"""Tests that the checks find what they look for, and nothing else."""

import re
import tempfile
import unittest
from pathlib import Path

import circles
import decisions
import dependencies
import gradle
import links
import members
import sizes
import spdx
import tests
import toolchain


class Planted(unittest.TestCase):
    """A temporary directory in which a test plants files."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name).resolve()

    def plant(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


class Gradle(Planted):
    SDK = "clients/sdk/kotlin"
    POM = """<project xmlns="http://maven.apache.org/POM/4.0.0">
        <groupId>dev.example</groupId><version>0.1.0</version>
        <modules><module>svc-core</module><module>svc-ui/android</module><module>checks</module></modules>
        <properties><kotlin.version>2.4.0</kotlin.version><jna.version>5.1.0</jna.version></properties>
        <dependencies><dependency><groupId>net.jna</groupId><artifactId>jna-jvm</artifactId>
        <version>${jna.version}</version></dependency></dependencies></project>"""
    CATALOGUE = """[versions]
kotlin = "2.4.0"
jna = "5.1.0"
ui = "1.2.0"
[libraries]
jna = { module = "net.jna:jna", version.ref = "jna" }
ui = { module = "androidx.ui:ui", version.ref = "ui" }
ui-extra = { module = "androidx.ui:extra", version.ref = "ui" }
"""
    BOM = 'plugins { `maven-publish` }\napi(project(":svc-core"))\napi(project(":svc-ui"))\n'

    def found(self, pom=POM, catalogue=CATALOGUE, bom=BOM, version="0.1.0"):
        self.plant("Cargo.toml", '[workspace.package]\nversion = "0.1.0"\n')
        self.plant(f"{self.SDK}/pom.xml", pom)
        self.plant(f"{self.SDK}/gradle/libs.versions.toml", catalogue)
        self.plant(f"{self.SDK}/gradle.properties", f"group=dev.example\nversion={version}\n")
        self.plant(f"{self.SDK}/settings.gradle.kts", 'include("svc-core", "svc-ui", "svc-bom", "sample")\n')
        self.plant(f"{self.SDK}/jars.sh", "copy androidx.ui:ui-android:1.2.0\n")
        for module in ("svc-core", "svc-ui"):
            self.plant(f"{self.SDK}/{module}/build.gradle.kts", "plugins { `maven-publish` }\n")
        self.plant(f"{self.SDK}/sample/build.gradle.kts", "plugins {}\n")
        self.plant(f"{self.SDK}/svc-bom/build.gradle.kts", bom)
        return len(gradle.findings(self.root))

    def test_builds_that_differ_are_found(self):
        self.assertEqual(self.found(), 0)
        self.assertEqual(self.found(catalogue=self.CATALOGUE.replace('jna = "5.1.0"', 'jna = "5.2.0"')), 1)
        self.assertEqual(self.found(catalogue=self.CATALOGUE.replace("net.jna:jna", "net.jna2:jna")), 1)
        self.assertEqual(self.found(catalogue=self.CATALOGUE.replace('ui = "1.2.0"', 'ui = "1.3.0"')), 2)
        self.assertEqual(self.found(catalogue=self.CATALOGUE.replace("2.4.0", "2.5.0")), 1)
        self.assertEqual(self.found(version="0.2.0"), 2)
        self.assertEqual(self.found(bom=self.BOM.replace("svc-ui", "svc-other")), 2)
        self.assertEqual(self.found(pom=self.POM.replace("svc-ui/android", "svc-other")), 2)


class Links(Planted):
    def test_broken_links_are_found(self):
        self.plant("docs/b.md", "# The `id`, and *more*\n")
        for target, broken in (
            ("docs/b.md", False),
            ("docs/b.md#the-id-and-more", False),
            ("docs/b.md#other", True),
            ("docs", False),
            ("docs/c.md", True),
            ("../outside.md", True),
            ("#top", False),
            ("#bottom", True),
            ("https://example.com/x", False),
            ("mailto:a@example.com", False),
        ):
            for form in (f"a [b]({target}) c", f"[b]: {target}", f'<a href="{target}">b</a>'):
                with self.subTest(form):
                    self.plant("a.md", f"# Top\n{form}\n")
                    self.assertEqual(len(links.findings(self.root)), int(broken))

    def test_links_in_code_are_ignored(self):
        self.plant("a.md", "`[b](c)`\n```\n[b](c)\n```\n")
        self.assertEqual(links.findings(self.root), [])


class Tests(Planted):
    def found(self, name, text):
        for path in self.root.rglob("*.*"):
            path.unlink()
        self.plant(name, text)
        return len(tests.findings(self.root))

    def test_sleep_without_a_reason_is_found(self):
        call = "tokio::time::sleep(SECOND).await;\n"
        self.assertEqual(self.found("tests/a.rs", call), 1)
        self.assertEqual(self.found("a/src/b/tests.rs", call), 1)
        self.assertEqual(self.found("src/a.rs", f"#[cfg(test)]\nmod tests {{\n{call}}}\n"), 1)
        self.assertEqual(self.found("src/a.rs", f"{call}#[cfg(test)]\nmod tests;\n"), 0)
        self.assertEqual(self.found("tests/a.rs", f"// sleep: plays dead\n{call}"), 0)
        self.assertEqual(self.found("tests/a.rs", f"// sleep: plays\n// dead\n{call}"), 0)
        self.assertEqual(self.found("tests/a.rs", f"// sleep:\n{call}"), 1)
        self.assertEqual(self.found("tests/a.test.mjs", "await page.waitForTimeout(5)\n"), 1)

    def test_tests_and_examples_that_never_run_are_found(self):
        self.assertEqual(self.found("src/a.rs", "#[ignore]\n"), 1)
        self.assertEqual(self.found("src/a.rs", '#[ignore = "slow"]\n'), 1)
        self.assertEqual(self.found("src/a.rs", "// #[ignore]\n"), 0)
        self.assertEqual(self.found("src/a.rs", "/// ```rust,ignore\n"), 1)
        self.assertEqual(self.found("src/a.rs", "/// ```no_run\n"), 0)
        self.assertEqual(self.found("tests/a.test.mjs", "test.only('x', f)\n"), 1)


class Sizes(Planted):
    def test_long_files_cause_a_warning(self):
        self.plant("a.rs", "x\n" * 400)
        self.plant("b.rs", "x\n" * 401)
        self.assertEqual(len(sizes.warnings(self.root)), 1)


class Decisions(Planted):
    def found(self, text, listed="[1](0001-a.md)"):
        self.plant("docs/adr/0001-a.md", text)
        self.plant("docs/adr/README.md", listed)
        return len(decisions.findings(self.root))

    def test_incomplete_or_unlisted_decisions_are_found(self):
        fine = "# 1. A\n\n- Status: accepted\n- Date: 2026-01-02\n\n## Context\n"
        self.assertEqual(self.found(fine), 0)
        superseded = fine.replace("accepted", "superseded by [2](0002-b.md)")
        self.assertEqual(self.found(superseded), 0)
        self.assertEqual(self.found(fine, listed=""), 1)
        self.assertEqual(self.found(fine.replace("accepted", "good")), 1)
        self.assertEqual(self.found(fine.replace("2026-01-02", "soon")), 1)
        self.assertEqual(self.found("# 1. A\n\n## Status\n- Status: accepted\n"), 2)

    def test_records_that_a_comment_names_must_exist(self):
        fine = "# 1. A\n\n- Status: accepted\n- Date: 2026-01-02\n"
        self.plant("Makefile", "# docs/adr/0001-a.md\n")
        self.assertEqual(self.found(fine), 0)
        self.plant("Makefile", "# docs/adr/0002-a.md\n")
        self.assertEqual(self.found(fine), 1)


class Toolchain(Planted):
    def found(self, rust="1.95", image="1.95.0"):
        self.plant("rust-toolchain.toml", '[toolchain]\nchannel = "1.95.0"\n')
        self.plant("Cargo.toml", f'[workspace.package]\nrust-version = "{rust}"\n')
        self.plant("Dockerfile", f"FROM rust:{image}-alpine\nENV RUSTUP_TOOLCHAIN={image}\n")
        return len(toolchain.findings(self.root))

    def test_other_versions_of_rust_are_found(self):
        self.assertEqual(self.found(), 0)
        self.assertEqual(self.found(rust="1.9"), 1)
        self.assertEqual(self.found(image="1.96.0"), 2)


class Members(Planted):
    LINTS = "[lints]\nworkspace = true\n"

    def found(self, extra, name="countersign-domain", lints=LINTS):
        self.plant("clippy.toml", "allow-unwrap-in-tests = true\n")
        self.plant("Cargo.toml", '[workspace]\nmembers = ["a"]\n')
        inherited = "".join(f"{field}.workspace = true\n" for field in members.INHERITED)
        self.plant("a/Cargo.toml", f'[package]\nname = "{name}"\n{inherited}{lints}{extra}')
        return members.findings(self.root)

    def test_correct_manifest_passes(self):
        self.assertEqual(self.found("[dependencies]\nserde.workspace = true\n"), [])

    def test_broken_rules_of_manifests_are_found(self):
        self.assertEqual(len(self.found("", lints="")), 1)
        self.assertEqual(len(self.found("", name="other")), 1)
        self.assertEqual(len(self.found('[dependencies]\nserde = "1"\n')), 1)
        self.assertEqual(len(self.found("[dependencies]\ntokio.workspace = true\n")), 1)
        self.assertEqual(len(self.found("[dependencies]\ncountersign-api.workspace = true\n")), 1)
        self.assertEqual(len(self.found("[dev-dependencies]\ntokio.workspace = true\n")), 0)

    def test_clippy_file_that_drops_a_common_setting_is_found(self):
        self.plant("a/clippy.toml", "disallowed-methods = []\n")
        self.assertEqual(len(self.found("")), 1)


class Circles(Planted):
    def found(self, exempt=(), **modules):
        """Plants a crate `a` with these modules, and returns the names in each circle."""
        for path in self.root.rglob("*.rs"):
            path.unlink()
        self.plant("a/Cargo.toml", '[package]\nname = "a"\n')
        for name, text in {"lib": "", **modules}.items():
            self.plant(f"a/src/{name.replace('__', '/')}.rs", text)
        lines = circles.findings(self.root, exempt)
        return [re.sub(r".*\((.*)\):.*", r"\1", line.splitlines()[0]) for line in lines]

    def test_circle_between_siblings_is_found(self):
        self.assertEqual(self.found(b="use crate::c::X;", c="use super::b::Y;"), ["b, c"])
        self.assertEqual(self.found(b="fn f() { crate::c::g() }", c="use crate::{d, b};"), ["b, c"])
        self.assertEqual(
            self.found(b="use crate::{c::{self, X}};", c="use crate::d;", d="use crate::b;"),
            ["b, c, d"],
        )

    def test_circle_through_a_submodule_or_a_re_export_is_found(self):
        self.assertEqual(self.found(b="mod x;", b__x="use crate::c;", c="use crate::b;"), ["b, c"])
        self.assertEqual(
            self.found(b="mod x;\nmod y;", b__x="use super::y;", b__y="use super::x;"), ["x, y"]
        )
        self.assertEqual(
            self.found(lib="pub use c::X;", b="use crate::X;", c="use crate::b::Y;"), ["b, c"]
        )
        self.assertEqual(
            self.found(lib="mod b { use crate::c; }", c="use crate::b::Y;"), ["b, c"]
        )

    def test_dependencies_in_one_direction_pass(self):
        self.assertEqual(self.found(b="use crate::c::X;", c="use std::fmt;"), [])
        self.assertEqual(self.found(b="mod x;\nuse x::X;", b__x="use super::Y;"), [])

    def test_paths_in_tests_comments_and_literals_are_ignored(self):
        for test in (
            "#[cfg(test)]\nmod tests { use crate::b; }",
            "#[cfg(test)]\nuse crate::b;",
            "// use crate::b;",
            "/* /* */ use crate::b; */",
            "const X: &str = \"use crate::b;\";",
            "const X: (char, char) = ('\"', '\\''); // use crate::b;",
        ):
            with self.subTest(test):
                self.assertEqual(self.found(b="use crate::c;", c=test), [])
        modules = {"c": "#[cfg(test)]\nmod tests;", "c__tests": "use crate::b;"}
        self.assertEqual(self.found(b="use crate::c;", **modules), [])

    def test_exemption_without_a_circle_is_found(self):
        self.assertEqual(self.found({"a"}, b="use crate::c;", c="use crate::b;"), [])
        self.assertEqual(len(self.found({"a"}, b="use crate::c;", c="")), 1)


class Dependencies(unittest.TestCase):
    POLICY = {"licenses": {"allow": ["MIT"]}, "bans": {"skip": [], "deny": [{"crate": "bad"}]}}

    @staticmethod
    def package(name, version="1.0.0", licence="MIT", source=None):
        return {"name": name, "version": version, "license": licence, "source": source}

    def found(self, *packages, skip=()):
        bans = {**self.POLICY["bans"], "skip": [{"crate": crate} for crate in skip]}
        return len(dependencies.findings({**self.POLICY, "bans": bans}, packages))

    def test_crates_that_break_the_policy_are_found(self):
        package = self.package
        self.assertEqual(self.found(package("a")), 0)
        self.assertEqual(self.found(package("bad")), 1)
        self.assertEqual(self.found(package("a", licence="GPL-3.0-only")), 1)
        self.assertEqual(self.found(package("a", licence=None)), 1)
        self.assertEqual(self.found(package("a", source="git+https://example.com/a")), 1)
        twice = package("a", "1.0.0"), package("a", "2.0.0")
        self.assertEqual(self.found(*twice), 1)
        self.assertEqual(self.found(*twice, skip=["a@1"]), 0)
        self.assertEqual(self.found(*twice, skip=["a@3"]), 2)
        self.assertEqual(self.found(package("a", "0.1.1"), package("a", "0.2.0")), 1)
        self.assertEqual(self.found(package("a", "1.1.0"), package("a", "1.2.0")), 0)


class Spdx(unittest.TestCase):
    def test_expression_is_allowed_if_the_licences_satisfy_it(self):
        for expression, fine in (
            ("MIT", True),
            ("MIT OR GPL-3.0-only", True),
            ("MIT AND GPL-3.0-only", False),
            ("GPL-3.0-only OR MIT AND ISC", True),
            ("(GPL-3.0-only OR MIT) AND ISC", True),
            ("GPL-3.0-only/MIT", True),
            ("ISC WITH Some-exception", False),
            ("Zlib WITH Some-exception", True),
        ):
            with self.subTest(expression):
                allow = {"MIT", "ISC", "Zlib WITH Some-exception"}
                self.assertEqual(spdx.allowed(expression, allow), fine)

    def test_invalid_expressions_are_refused(self):
        for expression in ("", "MIT OR", "(MIT", "MIT)", "MIT ISC", "MIT, ISC", "AND"):
            with self.subTest(expression), self.assertRaises(ValueError):
                spdx.allowed(expression, {"MIT", "ISC"})


if __name__ == "__main__":
    unittest.main()
