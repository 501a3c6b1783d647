"""Reads the operations and schemas of the API's description."""

import json
import re
from dataclasses import dataclass

import examples
from markupsafe import Markup, escape

PROBLEM = "application/problem+json"


@dataclass
class Member:
    """A member of an object, a parameter or a header."""

    name: str
    kind: Markup
    description: str
    required: bool
    rules: str


@dataclass
class Body:
    """The body of a request or an answer."""

    description: str
    media_type: str
    kind: Markup
    members: list
    example: str


@dataclass
class Operation:
    """A route with a method, or a webhook."""

    id: str
    method: str
    path: str
    summary: str
    description: str
    tag: str
    security: list
    parameters: list
    request: Body
    answers: list
    problems: list
    curl: str


def kind(schema):
    """Names the type of a schema, with a link if it has a name."""
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[1]
        return Markup('<a href="#schema-{0}">{0}</a>').format(name)
    if "oneOf" in schema:
        variants = [kind(one) for one in schema["oneOf"] if one.get("type") != "null"]
        return Markup(" or ").join(variants)
    if examples.main_type(schema) == "array":
        return Markup("array of ") + kind(schema["items"])
    if schema.get("format") == "date-time":
        return escape("time")
    return escape(examples.main_type(schema) or "any")


def rules(schema):
    """Puts into words what a value must keep to."""
    said = []
    if "enum" in schema:
        values = [Markup("<code>{}</code>").format(one) for one in schema["enum"] if one is not None]
        said.append(Markup("one of " if len(values) > 1 else "") + Markup(", ").join(values))
    least, most = schema.get("minimum", schema.get("minLength")), schema.get("maximum", schema.get("maxLength"))
    unit = " characters" if "minLength" in schema or "maxLength" in schema else ""
    if least is not None and most is not None:
        said.append(f"{least}{unit}" if least == most else f"{least} to {most}{unit}")
    elif most is not None:
        said.append(f"at most {most}{unit}")
    elif least:
        said.append(f"at least {least}{unit}")
    if "pattern" in schema:
        said.append(Markup("<code>{}</code>").format(schema["pattern"]))
    return Markup("; ").join(said)


def member(name, schema, required, description=None):
    """Describes a member by its schema."""
    return Member(name, kind(schema), description or schema.get("description", ""), required, rules(schema))


def members(schema):
    """Describes the members of an object."""
    required = schema.get("required", [])
    return [member(name, one, name in required) for name, one in examples.members(schema)]


def pretty(value):
    """Writes JSON for people."""
    return json.dumps(value, indent=2, ensure_ascii=False)


def body(described, schemas):
    """Describes a body in its first media type, if it has one."""
    content = described.get("content")
    if not content:
        return Body(described.get("description", ""), "", Markup(""), [], "")
    media_type, content = next(iter(content.items()))
    schema = content["schema"]
    is_json = media_type == "application/json"
    sample = pretty(examples.of_content(content, schemas)) if is_json else ""
    of_object = members(examples.resolved(schema, schemas)) if is_json else []
    return Body(described.get("description", ""), media_type, kind(schema), of_object, sample)


def quoted(text):
    """Quotes a word for a shell."""
    return "'" + text.replace("'", "'\\''") + "'"


def value_of(parameter):
    """Returns the example of a parameter, or `None`."""
    schema = parameter["schema"]
    if "example" in parameter:
        return parameter["example"]
    return next(iter(schema.get("examples", schema.get("enum", []))), None)


def credential(name, scheme):
    """Writes the option that sends a key or token, which is in a variable of the shell."""
    if scheme["type"] == "http":
        return '-H "authorization: Bearer $TOKEN"'
    variable = re.sub(r"(?=[A-Z])", "_", name).upper()
    return f'-H "{scheme["name"]}: ${variable}"'


def curl(method, path, operation, schemas, schemes):
    """Writes the command that calls an operation."""
    lines, query = [], []
    parameters = operation.get("parameters", [])
    for parameter in parameters:
        value = value_of(parameter)
        if parameter["in"] == "path":
            path = path.replace("{%s}" % parameter["name"], str(value or "ID"))
        elif value is not None and parameter["in"] == "query":
            query.append(f"-d {parameter['name']}={value}" if re.fullmatch(r"[\w.:@-]+", str(value)) else
                         f"--data-urlencode {quoted(parameter['name'] + '=' + str(value))}")
        elif value is not None and parameter["name"] not in ("If-None-Match", "Accept-Language"):
            lines.append(f"-H {quoted(parameter['name'].lower() + ': ' + str(value))}")
    for scheme in next(iter(operation.get("security", [])), {}):
        lines.append(credential(scheme, schemes[scheme]))
    if query:
        lines.append(" ".join(query))
    content = operation.get("requestBody", {}).get("content", {}).get("application/json")
    if content:
        sample = json.dumps(examples.of_content(content, schemas), ensure_ascii=False)
        lines += ["-H 'content-type: application/json'", f"-d {quoted(sample)}"]
    options = " -G" if query else "" if method == "get" or (method == "post" and content) else f" -X {method.upper()}"
    return " \\\n  ".join([f'curl{options} "$URL{path}"', *lines])


def security(operation, schemes):
    """Lists the alternatives, each as the names of what is sent together."""
    return [list(alternative) for alternative in operation.get("security", []) if set(alternative) <= set(schemes)]


def operations(description):
    """Returns the operations by tag, in the order of the tags."""
    components = description["components"]
    schemas = components["schemas"]
    found = []
    for section in ("paths", "webhooks"):
        for path, item in description[section].items():
            for method, operation in item.items():
                found.append(one(section, method, path, operation, components, schemas))
    # Operations that start something come first.
    found.sort(key=lambda each: each.method != "POST" or "{" in each.path)
    return {tag["name"]: [each for each in found if each.tag == tag["name"]] for tag in description["tags"]}


def one(section, method, path, operation, components, schemas):
    """Describes one operation."""
    answers, problems = [], []
    for status, answer in operation["responses"].items():
        content = answer.get("content", {})
        if PROBLEM in content:
            problems += [(status, code) for code in content[PROBLEM].get("examples", {})]
        else:
            answers.append((status, body(answer, schemas)))
    parameters = [
        (parameter["in"], member(parameter["name"], parameter["schema"], parameter.get("required", False), parameter["description"]))
        for parameter in operation.get("parameters", [])
    ]
    is_call = section == "paths" and "101" not in operation["responses"]
    return Operation(
        id=operation["operationId"],
        method=method.upper(),
        path=path if section == "paths" else "",
        summary=operation["summary"],
        description=operation.get("description", ""),
        tag=operation.get("tags", ["webhooks"])[0],
        security=security(operation, components["securitySchemes"]),
        parameters=parameters,
        request=body(operation["requestBody"], schemas) if "requestBody" in operation else None,
        answers=answers,
        problems=problems,
        curl=curl(method, path, operation, schemas, components["securitySchemes"]) if is_call else "",
    )
