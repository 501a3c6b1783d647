"""Rules for parameters. cfn-lint finds unused ones, and defaults that are not allowed."""

from model import rule


@rule
def every_parameter_is_explained(template):
    interface = template.source["Metadata"]["AWS::CloudFormation::Interface"]
    grouped = [p for group in interface["ParameterGroups"] for p in group["Parameters"]]
    for name, parameter in template.source["Parameters"].items():
        if grouped.count(name) != 1:
            yield f"{name}: is not in exactly one group"
        if "Default" not in parameter:
            yield f"{name}: no default"
        if not parameter.get("Description"):
            yield f"{name}: no description"
        if f"| `{name}` |" not in template.operations:
            yield f"{name}: not in the table of docs/operations.md"
