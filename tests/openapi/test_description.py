"""Tests of the parts of the description that code generators read: examples and links."""

import jsonschema_rs

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def nodes(value, at="#"):
    """Yields every object of a document with its location."""
    if isinstance(value, dict):
        yield at, value
        for key, inner in value.items():
            yield from nodes(inner, f"{at}/{key}")
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from nodes(inner, f"{at}/{index}")


def examples(description):
    """Yields every example with its location and schema."""
    named = description["components"]["examples"]
    for at, node in nodes(description):
        given = node.get("examples", [])
        schema = node.get("schema", node)
        if "example" in node:
            yield at, schema, node["example"]
        if isinstance(given, list):
            for example in given:
                yield at, schema, example
        elif "schema" in node:
            for name, example in given.items():
                if "$ref" in example:
                    example = named[example["$ref"].rsplit("/", 1)[1]]
                yield f"{at}/{name}", schema, example["value"]


def test_examples_match_their_schemas(description):
    """Each example validates against its schema, including formats."""
    seen = 0
    for at, schema, example in examples(description):
        whole = schema | {"$schema": DIALECT, "components": description["components"]}
        errors = jsonschema_rs.validator_for(whole, validate_formats=True).iter_errors(example)
        assert [error.message for error in errors] == [], at
        seen += 1
    assert seen > 100


def test_each_body_has_an_example(description):
    """Each body has its own example, because one composed from its members may make no sense."""
    for path, operations in description["paths"].items():
        for method, operation in operations.items():
            for content in operation.get("requestBody", {}).get("content", {}).values():
                assert "example" in content or "examples" in content, f"{method} {path}"


def test_links_name_existing_operations_and_parameters(description):
    """Links lead to operations, and name parameters of these operations."""
    known = {
        operation["operationId"]: {parameter["name"] for parameter in operation["parameters"]}
        for operations in description["paths"].values()
        for operation in operations.values()
        if "parameters" in operation
    }
    links = [link for _, node in nodes(description) for link in node.get("links", {}).values()]
    assert links
    for link in links:
        assert set(link["parameters"]) <= known[link["operationId"]]
