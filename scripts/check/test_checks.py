"""Tests that the checks find what they look for, and nothing else."""

import re
import tempfile
import unittest
from pathlib import Path

import english
import figures
import gradle
import members
import orphans
import packages
import paths
import tests
import tree
import versions

try:
    import circles
except ModuleNotFoundError:  # Its parser of Rust is in .tools/lint-tools, which needs the network once.
    circles = None


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


class Versions(unittest.TestCase):
    """A copy of the real files: a place that a pattern no longer finds is a finding, too."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name).resolve()
        names = [path.relative_to(tree.ROOT) for name, _ in versions.PLACES for path in versions.paths(tree.ROOT, name)]
        for name in [*names, *versions.CHANGELOGS]:
            target = self.root / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes((tree.ROOT / name).read_bytes())

    def test_tree_has_one_version(self):
        self.assertEqual(versions.findings(self.root), [])

    def test_each_place_is_compared(self):
        for name, _ in versions.PLACES[1:]:
            for path in versions.paths(self.root, name):
                text = path.read_text(encoding="utf-8")
                path.write_text(text.replace(versions.workspace_version(self.root), "9.9.9"), encoding="utf-8")
                found = versions.findings(self.root)
                self.assertTrue(found and all("9.9.9" in line for line in found), path)
                path.write_text(text, encoding="utf-8")

    def test_version_is_written_everywhere(self):
        old = versions.workspace_version(self.root)
        versions.write(self.root, "9.9.9")
        self.assertEqual(versions.findings(self.root), [])
        ours = re.compile(rf"(countersign|svc-|VERSION|[Vv]ersion)\S*{re.escape(old)}")
        for path in self.root.rglob("*"):
            if path.is_file() and "lock" not in path.name and path.suffix != ".xml":
                self.assertIsNone(ours.search(path.read_text(encoding="utf-8")), path)

    def test_missing_section_of_a_changelog_is_found(self):
        for name in versions.CHANGELOGS:
            path = self.root / name
            text = path.read_text(encoding="utf-8")
            path.write_text(text.replace("## [Unreleased]", "## Later"), encoding="utf-8")
            self.assertEqual(versions.findings(self.root), [f"{name}: has no section `## [Unreleased]`"])
            path.write_text(text, encoding="utf-8")


class Packages(Planted):
    SCRIPT = "#   node      shop-VERSION.tgz, for npm\n#   go        shop-go-VERSION.zip\nall=\"node go\"\n"
    WORKFLOW = "      - name: Pack node, and install it\n      - name: Pack go\n"

    def found(self, script=SCRIPT, workflow=WORKFLOW, page="`shop-VERSION.tgz` and `shop-go-VERSION.zip`"):
        self.plant("scripts/pack.sh", script)
        self.plant(".github/workflows/release.yml", workflow)
        self.plant("docs/releasing.md", page)
        return packages.findings(self.root)

    def test_release_packs_and_lists_everything(self):
        self.assertEqual(self.found(), [])
        self.assertEqual(len(self.found(workflow="      - name: Pack node\n")), 1)
        self.assertEqual(len(self.found(page="`shop-VERSION.tgz`")), 1)
        self.assertEqual(len(self.found(script=self.SCRIPT.replace("-VERSION.zip", ""))), 1)


class Fetched(Planted):
    def test_names_that_are_not_ours_are_found(self):
        for line in (
            "pip install countersign", "pip install 'countersign[flask]'", "npm install @countersign/server",
            "go get github.com/countersign/countersign/clients/go", "cargo add countersign-sdk",
        ):
            self.plant("README.md", f"# Shop\n\n{line}\n")
            self.assertEqual(len(packages.fetched(self.root)), 1, line)

    def test_archives_and_other_names_are_fine(self):
        lines = (
            "pip install ./countersign_server-1.2.3-py3-none-any.whl", "npm install ../countersign/dist/countersign-server-1.2.3.tgz",
            "pip install flask", "cargo install cargo-ndk",
        )
        self.plant("README.md", "\n".join(lines))
        self.plant("requirements.txt", "../dist/countersign_server-1.2.3-py3-none-any.whl\n")
        self.assertEqual(packages.fetched(self.root), [])

    def test_names_in_requirements_are_found(self):
        self.plant("requirements.txt", "countersign\n")
        self.assertEqual(len(packages.fetched(self.root)), 1)


class Pins(Planted):
    def test_page_names_the_versions_of_the_tests(self):
        pins = '{"dependencies": {"@nest/core": "2.0.1"}, "devDependencies": {"ts-5": "npm:ts@5.9.3", "ts-7": "npm:ts@7.0.2"}}'
        self.plant("tests/packages/projects/node/package.json", pins)
        self.plant("scripts/setup/python-consumer.in", "# A tool.\nmypy==1.2.3\n")
        self.plant("docs/packages.md", "`@nest/core 2.0.1`, `ts 5.9.3`, `ts 7.0.2`, `mypy 1.2.3`")
        self.assertEqual(packages.stale(self.root), [])
        self.plant("docs/packages.md", "`@nest/core 2.0.2`, `ts 6.0.0`, `jest 1.0`")
        self.assertEqual(len(packages.stale(self.root)), 3)


class Gradle(Planted):
    SDK = "clients/sdk/kotlin"
    POM = """<project xmlns="http://maven.apache.org/POM/4.0.0">
        <groupId>dev.example</groupId><version>0.1.0</version>
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

    def test_published_crate_says_what_it_is(self):
        fields = members.PUBLISHED["countersign-client"]
        self.assertEqual(len(self.found("", name="countersign-client")), 1 + len(fields))


class Orphans(Planted):
    def test_page_without_a_link_is_found(self):
        self.plant("README.md", "[a](docs/a.md#x) ![p](p.svg) [folder](docs) [out](https://a.example/docs/z.md)")
        self.plant("docs/README.md", "[c]: c.md\n")
        self.plant("docs/a.md", "[b](b.md) and [back](../README.md)")
        for page in "bc":
            self.plant(f"docs/{page}.md", "")
        self.assertEqual(orphans.findings(self.root), [])
        self.plant("docs/z.md", "[itself](z.md)")
        self.plant("docs/.github/template.md", "")
        self.assertEqual(len(orphans.findings(self.root)), 1)


class Paths(Planted):
    def test_path_that_leads_nowhere_is_found(self):
        self.plant("shared/domain/src/store.rs", "pub fn find() {}")
        self.plant("cli/src/serve/http.rs", "pub async fn serve() {}")
        for text, wrong in (
            ("| `domain/store` | `cli/serve` | `cli/serve/http` |", 0),
            ("cli/serve/http::serve  → domain/store::find", 0),
            ("| `domain/stores` |", 1),
            ("cli/serve/http::serves → domain/stores::find", 2),
        ):
            self.plant("docs/architecture.md", text)
            self.assertEqual(len(paths.findings(self.root)), wrong, text)


class English(Planted):
    def found(self, name, text):
        """Returns the phrases that are found in a file."""
        return [english.PHRASES[phrase] for phrase, _, _ in english.marks(name, text.splitlines())[1]]

    def test_prose_of_each_kind_of_file_is_read(self):
        for name, text in (
            ("a.md", "Nobody reads `nobody` or [this](nobody.md).\n```\nnobody\n```\n# Nobody\n"),
            ("a.rs", "/// Tells nobody.\nfn nobody() { nobody(); }\n"),
            ("a.ts", "/** Tells nobody. */\nconst nobody = 'nobody'\n"),
            ("a.kt", "/**\n * Tells nobody.\n */\nval nobody = 1\n"),
            ("a.go", "nobody() // nobody waits\n"),
            ("a.py", 'def nobody():\n    """Tells nobody."""\n    return "nobody"\n'),
            ("a.py", 'def nobody():\n    """Tells.\n\n    It tells nobody.\n    """\n    nobody()\n'),
            ("a.sh", "#!/bin/nobody\n# Tells nobody.\nnobody\n"),
            ("a.yaml", "nobody: 1 # nobody\n"),
        ):
            self.assertEqual(len(self.found(name, text)), 1, text)

    def test_phrases_are_found(self):
        for text, wrong in (
            ("/// Returns the only key of an app.", 0),
            ("/// Returns `None` if there is none.", 0),
            ("/// There is no reason to leave it alone.", 0),
            ("/// Has a key of its own.", 1),
            ("/// The key alone is no secret.", 2),
            ("/// Webhooks that are owed besides those of others, at once.", 4),
            ("/// What a key is.", 1),
            ("/// The key.\n/// What follows is text.", 0),
        ):
            self.assertEqual(len(self.found("a.rs", text)), wrong, text)

    def test_generated_files_are_left_out(self):
        for name in ("docs/a.ts", "clients/go/types.gen.go", "clients/widget/dist/a.js", "clients/node/src/a.d.ts"):
            self.plant(name, "// Nobody.\n")
        words, uses = english.count(self.root)
        self.assertEqual((words, sum(map(len, uses.values()))), (1, 1))


class Figures(Planted):
    def test_wrong_number_of_functions_is_found(self):
        self.plant("functions/Cargo.toml", '[[bin]]\nname = "a"\n[[bin]]\nname = "b"\n')
        for text, wrong in (
            ("two small functions and two functions", 0),
            ("one machine, ten small\nfunctions", 1),
            ("Twelve functions, 3 functions, 2 functions", 2),
        ):
            self.plant("README.md", text)
            self.assertEqual(len(figures.wrong_functions(self.root)), wrong, text)

    def test_wrong_number_of_crates_is_found(self):
        for text, wrong in (
            ("cargo compiles about 270 crates", 0),
            ("cargo compiles about 275 crates", 0),
            ("cargo compiles about 230 crates", 1),
            ("cargo compiles many crates", 1),
        ):
            self.assertEqual(len(figures.wrong_crates(text, 270)), wrong, text)


@unittest.skipIf(circles is None, "no parser of Rust")
class Circles(Planted):
    def found(self, **modules):
        """Plants a crate `a` with these modules, and returns the names in each circle."""
        for path in self.root.rglob("*.rs"):
            path.unlink()
        self.plant("a/Cargo.toml", '[package]\nname = "a"\n')
        for name, text in {"lib": "", **modules}.items():
            self.plant(f"a/src/{name.replace('__', '/')}.rs", text)
        lines = circles.findings(self.root)
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

    def test_finding_names_the_line_of_each_path(self):
        self.found(b="use crate::c::X;", c="use std::fmt;\nuse std::io;\n\nfn f() {\n    crate::b::g()\n}")
        steps = circles.findings(self.root)[0].splitlines()[1:]
        self.assertCountEqual([step.strip() for step in steps], ["b uses c: a/src/b.rs:1", "c uses b: a/src/c.rs:5"])

    def test_paths_in_macros_attributes_and_types_are_found(self):
        for use in (
            "fn f() { vec![g(crate::b::y())]; }",
            "#[derive(crate::b::Y)]\nstruct S;",
            "fn f(x: &[crate::b::Y; 2]) -> impl Fn() -> crate::d::Z {}",
            "pub(in crate::b) fn f() {}",
            "fn f() { use crate::{/* ours */ b as x}; }",
            "#[cfg(test)]\nfn g() {}\nfn f() { r#crate::b() } fn h() { crate::r#b::f() }",
        ):
            with self.subTest(use):
                self.assertEqual(self.found(b="use crate::c;", c=use), ["b, c"])

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


if __name__ == "__main__":
    unittest.main()
