"""Builds examples of bodies from the schemas of the API's description."""

TIME = "2026-01-02T03:04:05.678Z"


def resolved(schema, schemas):
    """Follows a reference."""
    if "$ref" in schema:
        return schemas[schema["$ref"].rsplit("/", 1)[1]]
    return schema


def main_type(schema):
    """Returns the type of a schema, without `null`."""
    kinds = schema.get("type")
    if isinstance(kinds, list):
        return next(kind for kind in kinds if kind != "null")
    return kinds


def example(schema, schemas):
    """Returns a value with every member that the schema describes."""
    for source in (schema, resolved(schema, schemas)):
        if source.get("examples"):
            return source["examples"][0]
    schema = resolved(schema, schemas)
    if "oneOf" in schema:
        variants = (one for one in schema["oneOf"] if one.get("type") != "null")
        return example(next(variants), schemas)
    if "enum" in schema:
        return schema["enum"][0]
    kind = main_type(schema)
    if kind == "object":
        return {name: example(member, schemas) for name, member in members(schema)}
    if kind == "array":
        return [example(schema["items"], schemas)]
    if kind in ("integer", "number"):
        return schema.get("minimum", 0)
    if kind == "boolean":
        return True
    return TIME if schema.get("format") == "date-time" else "…"


def members(schema):
    """Returns names and schemas of an object's members, the required ones first."""
    required = schema.get("required", [])
    return sorted(schema.get("properties", {}).items(), key=lambda member: member[0] not in required)


def of_content(content, schemas):
    """Returns the example of a body in one media type: the description's own if it has one."""
    if "example" in content:
        return content["example"]
    if content.get("examples"):
        return next(iter(content["examples"].values()))["value"]
    return example(content["schema"], schemas)
