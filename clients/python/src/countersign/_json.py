"""Conversion between JSON and the generated types.

It tolerates whatever a later version of the service may change.
"""

import re
from collections.abc import Mapping
from dataclasses import fields
from datetime import datetime, timezone
from functools import cache
from types import UnionType
from typing import Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

T = TypeVar("T")


def camel(name: str) -> str:
    return re.sub(r"_([a-z0-9])", lambda found: found[1].upper(), name)


def body_of(members: Mapping[str, Any]) -> dict[str, Any]:
    """Returns a request's body.

    Passes on members that the types do not know, and omits members that are None.
    """
    return {camel(name): value for name, value in members.items() if value is not None}


def query_of(members: Mapping[str, Any]) -> dict[str, str]:
    """Returns a request's query, with times in the service's format."""
    return {name: _text(value) for name, value in body_of(members).items()}


def to_json(answer: Any) -> dict[str, Any]:
    """Returns an answer as the service wrote it, for a page or an app: JSON with the API's names."""
    members = {field.name: getattr(answer, field.name) for field in fields(answer)}
    return {camel(name): _json(value) for name, value in members.items() if value is not None}


def _json(value: Any) -> Any:
    if hasattr(value, "__dataclass_fields__"):
        return to_json(value)
    if isinstance(value, list):
        return [_json(item) for item in value]
    return _text(value) if isinstance(value, datetime) else value


def _text(value: Any) -> str:
    if isinstance(value, datetime):
        return value.astimezone(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return str(value)


def read(kind: type[T], value: Mapping[str, Any]) -> T:
    """Creates an object of a generated class.

    It ignores unknown members. Members that are missing or have another type are None.
    """
    return kind(
        **{name: _value(hint, value.get(camel(name))) for name, hint in _hints(cast(Any, kind)).items()}
    )


@cache
def _hints(kind: type[Any]) -> dict[str, Any]:
    hints = get_type_hints(kind)
    return {field.name: _plain(hints[field.name]) for field in fields(kind)}


def _plain(hint: Any) -> Any:
    """Returns the type of an optional member if it is present."""
    if get_origin(hint) in (Union, UnionType):
        return next(part for part in get_args(hint) if part is not type(None))
    return hint


def _value(hint: Any, value: Any) -> Any:
    if get_origin(hint) is list:
        return [_value(get_args(hint)[0], item) for item in value] if isinstance(value, list) else None
    if hint is datetime:
        return time_of(value)
    if isinstance(hint, type) and hasattr(hint, "__dataclass_fields__"):
        return read(hint, value) if isinstance(value, dict) else None
    return value


def time_of(value: Any) -> datetime | None:
    try:
        return datetime.fromisoformat(value)
    except (TypeError, ValueError):
        return None
