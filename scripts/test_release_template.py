"""Tests of `release_template`: the template of a release names the zips beside it."""

import pathlib
import re
import tempfile
import unittest

import release_template
from release_template import ARCHITECTURES, Unexpected, functions, released

ROOT = pathlib.Path(__file__).parent.parent
TEMPLATE = release_template.TEMPLATE.read_text(encoding="utf-8")
BINARIES = sorted(path.parent.name for path in (ROOT / "functions").glob("*/main.rs"))


class Template(unittest.TestCase):
    def test_every_function_is_deployed_from_a_zip(self):
        self.assertEqual(sorted(functions(TEMPLATE)), BINARIES)
        template = released(TEMPLATE, "arm64")
        zips = re.findall(r"^      CodeUri: (.*)$", template, re.MULTILINE)
        self.assertEqual(sorted(zips), [f"{name}.zip" for name in BINARIES])
        self.assertEqual(template.count("CodeUri"), len(zips))
        self.assertEqual(template.count("Type: AWS::Serverless::Function"), len(zips))

    def test_folder_holds_every_template(self):
        with tempfile.TemporaryDirectory() as folder:
            release_template.write(folder, "arm64")
            written = {path.name: path.read_text(encoding="utf-8") for path in pathlib.Path(folder).iterdir()}
        self.assertEqual(written["template.yaml"], released(TEMPLATE, "arm64"))
        self.assertEqual(set(written), {"template.yaml", "monitoring.yaml"})
        self.assertEqual(re.findall(r"TemplateURL: (.*)", written["template.yaml"]), ["monitoring.yaml"])
        self.assertEqual(written["monitoring.yaml"], (ROOT / "infra/monitoring.yaml").read_text(encoding="utf-8"))

    def test_architecture_becomes_the_default(self):
        for architecture in ARCHITECTURES:
            template = released(TEMPLATE, architecture)
            parameter = template[template.index("\n  Architecture:\n") :]
            self.assertEqual(re.search(r"Default: (.*)", parameter)[1], architecture)

    def test_changed_template_is_refused(self):
        for part in ("    CodeUri: ../functions/\n", "  Architecture:\n", "BuildMethod: rust-cargolambda"):
            with self.assertRaises(Unexpected, msg=part):
                released(TEMPLATE.replace(part, ""), "arm64")


if __name__ == "__main__":
    unittest.main()
