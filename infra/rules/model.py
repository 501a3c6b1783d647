"""The template as rules see it: its source after the loops, and the output of SAM."""

import copy
import io
import json
import logging
import os
import re
from contextlib import redirect_stdout
from pathlib import Path

os.environ.setdefault("AWS_DEFAULT_REGION", "us-east-1")
logging.disable(logging.WARNING)

import cfnlint.data.schemas.providers  # noqa: E402
import yaml  # noqa: E402
from ministack.services.cloudformation import language_extensions  # noqa: E402
from samtranslator.translator.transform import transform  # noqa: E402
from samtranslator.yaml_helper import intrinsics_multi_constructor  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
TEMPLATE = ROOT / "infra/template.yaml"
# The logical id of the nested stack, whose template is in the same folder.
NESTED = "Monitoring"
OPERATIONS = ROOT / "docs/operations.md"
ALARMS = ROOT / "docs/alarms.md"
PREFLIGHT = ROOT / "infra/preflight.sh"
EDGE = ROOT / "infra/edge.yaml"
TERRAFORM = ROOT / "infra/terraform"

RULES = []


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
    """Reads `!Ref` and other tags as SAM does, in a tenth of the time."""


_Loader.add_multi_constructor("!", intrinsics_multi_constructor)


def rule(check):
    """Registers a rule: a function that takes a Template and yields findings, each a line of text."""
    RULES.append(check)
    return check


class _NoManagedPolicies:
    """Stands in for an account's managed policies. The template uses none."""

    @staticmethod
    def load():
        return {}


def _filled_in(value):
    """Writes `Fn::Sub` as one string wherever its variables are strings or references."""
    if isinstance(value, list):
        return [_filled_in(entry) for entry in value]
    if not isinstance(value, dict):
        return value
    value = {key: _filled_in(inner) for key, inner in value.items()}
    given = value.get("Fn::Sub")
    if isinstance(given, list):
        text, left = given[0], {}
        for name, inner in given[1].items():
            inner = f"${{{inner['Ref']}}}" if isinstance(inner, dict) and list(inner) == ["Ref"] else inner
            if isinstance(inner, str):
                text = text.replace(f"${{{name}}}", inner)
            else:
                left[name] = inner
        if not left and "${" not in text:
            return text
        value["Fn::Sub"] = [text, left] if left else text
    return value


def load(text):
    """Returns a template as it is written."""
    return yaml.load(text, _Loader)


def without_loops(text):
    """Returns the template that CloudFormation passes to SAM, with parameters unresolved."""
    return _filled_in(language_extensions.apply(load(text), {}))


def _given(value, arguments):
    """Replaces the parameters of a nested stack by the values that the outer one passes."""
    if isinstance(value, list):
        return [_given(entry, arguments) for entry in value]
    if not isinstance(value, dict):
        return value
    if value.get("Ref") in arguments:
        return arguments[value["Ref"]]
    text = value.get("Fn::Sub")
    if isinstance(text, str):
        return {"Fn::Sub": re.sub(r"\$\{(\w+)\}", lambda found: _as_text(arguments.get(found[1]), found[0]), text)}
    return {key: _given(inner, arguments) for key, inner in value.items()}


def _as_text(value, otherwise):
    """Returns a reference as `Fn::Sub` writes it."""
    match value:
        case None:
            return otherwise
        case {"Ref": name}:
            return f"${{{name}}}"
        case {"Fn::GetAtt": [*path]}:
            return f"${{{'.'.join(path)}}}"
        case {"Fn::GetAtt": path}:
            return f"${{{path}}}"
    raise ValueError(f"{value} is no reference")


def whole():
    """Returns the template and that of its nested stack as one, without loops. Rules do not know in which of them a resource is."""
    outer = without_loops(TEMPLATE.read_text("utf-8"))
    stack = outer["Resources"].pop(NESTED)
    # Only the nested stack has it.
    del outer["Conditions"][stack["Condition"]]
    properties = stack["Properties"]
    inner = without_loops((TEMPLATE.parent / properties["TemplateURL"]).read_text("utf-8"))
    arguments = properties["Parameters"]
    if arguments.keys() != inner["Parameters"].keys():
        raise ValueError(f"{NESTED} has other parameters: {sorted(arguments.keys() ^ inner['Parameters'].keys())}")
    outputs = _given({name: output["Value"] for name, output in inner["Outputs"].items()}, arguments)
    for section in ("Conditions", "Resources"):
        for name, part in _given(inner[section], arguments).items():
            if outer[section].setdefault(name, part) != part:
                raise ValueError(f"{name} is in both templates")
    for name, value in outputs.items():
        for output in outer["Outputs"].values():
            text = output["Value"].get("Fn::Sub") if isinstance(output["Value"], dict) else None
            if isinstance(text, str):
                output["Value"]["Fn::Sub"] = text.replace(f"${{{NESTED}.Outputs.{name}}}", _as_text(value, ""))
    return outer


class Template:
    """A template. `source` is without loops, `expanded` is what CloudFormation deploys."""

    def __init__(self, source=None, **parameters):
        self.given = parameters
        self.source = source or whole()
        self.operations = OPERATIONS.read_text("utf-8")
        self.runbook = ALARMS.read_text("utf-8")
        self.terraform = "\n".join(path.read_text("utf-8") for path in sorted(TERRAFORM.glob("*.tf")))
        packaged = copy.deepcopy(self.source)
        # Set by `sam package`.
        packaged["Globals"]["Function"]["CodeUri"] = "s3://bucket/key"
        with redirect_stdout(io.StringIO()):
            self.expanded = transform(packaged, parameters, _NoManagedPolicies())
        self.resources = self.expanded["Resources"]

    def of_type(self, kind):
        """Returns the resources of a type, by logical id."""
        return {name: r for name, r in self.resources.items() if r["Type"] == kind}

    def properties(self, kind):
        """Returns the properties of the resources of a type, by logical id."""
        return {name: r.get("Properties", {}) for name, r in self.of_type(kind).items()}

    def functions(self):
        """Returns the logical ids and properties of the functions, by the names of their binaries."""
        return {
            r["Metadata"]["BuildProperties"]["Binary"]: (name, self.resources[name]["Properties"])
            for name, r in self.source["Resources"].items()
            if r["Type"] == "AWS::Serverless::Function"
        }

    def answering(self):
        """Returns the names of the functions that answer HTTP requests."""
        integrations = self.properties("AWS::ApiGatewayV2::Integration").values()
        called = [names(i["IntegrationUri"]) for i in integrations if targets(i["ApiId"]) == {"HttpApi"}]
        return [n for n, (function, _) in self.functions().items() if {f"{function}Aliaslive"} in called]


def lacking_regions(kind):
    """Returns the public regions in which CloudFormation has no such type, as cfn-lint knows them."""
    found = set()
    for path in Path(cfnlint.data.schemas.providers.__path__[0]).glob("*.json"):
        region = path.stem
        # Regions in AWS's isolated networks are not public.
        if "-" in region and not region.startswith(("us-iso", "eu-iso", "eusc")):
            if kind not in json.loads(path.read_text("utf-8")):
                found.add(region)
    return found


def names(value):
    """Returns the logical ids, parameters and pseudo parameters that a value refers to."""
    if isinstance(value, list):
        return set().union(*map(names, value)) if value else set()
    if not isinstance(value, dict):
        return set()
    found = set()
    for key, inner in value.items():
        if key == "Ref":
            found.add(inner)
        elif key == "Fn::GetAtt":
            found.add(inner[0] if isinstance(inner, list) else inner.split(".")[0])
        elif key == "Fn::Sub":
            text = inner[0] if isinstance(inner, list) else inner
            found |= {n.split(".")[0] for n in re.findall(r"\$\{([^!}]+)\}", text)}
            found |= names(inner[1:]) if isinstance(inner, list) else set()
        elif key == "DependsOn":
            found |= {inner} if isinstance(inner, str) else set(inner)
        elif key == "Fn::If":
            found |= names(inner[1:])
        else:
            found |= names(inner)
    return found


PSEUDO = re.compile(r"^AWS::")


def targets(value):
    """Returns the logical ids and parameters that a value refers to, without pseudo parameters."""
    return {name for name in names(value) if not PSEUDO.match(name)}


def branches(value):
    """Returns a list's entries, with both sides of each `Fn::If`, and without AWS::NoValue."""
    if isinstance(value, dict) and "Fn::If" in value:
        return branches(value["Fn::If"][1]) + branches(value["Fn::If"][2])
    if isinstance(value, list):
        return [entry for item in value for entry in branches(item)]
    return [] if value in (None, {"Ref": "AWS::NoValue"}) else [value]


def statements(document):
    """Returns the statements of a policy document."""
    return branches(document.get("Statement", []))


def listed(value):
    """Returns a string or a list of strings as a list."""
    return value if isinstance(value, list) else [value]
