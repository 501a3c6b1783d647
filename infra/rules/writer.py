"""Writes a parsed template as text, in the style of `infra/template.yaml`."""

import json
import re

# Lists of scalars that are shorter than this many characters are written in flow style.
_WIDTH = 100
_PLAIN = re.compile(r"[A-Za-z0-9$/^(][^#\[\]{},&*!|>'\"%@`]*$")
_WORDS = {"on", "off", "yes", "no", "true", "false", "null"}


def _quoted(text):
    if '"' in text and "\n" not in text:
        return "'" + text.replace("'", "''") + "'"
    return json.dumps(text)


def _scalar(value, flow=False):
    """Returns a scalar, or an intrinsic function of a scalar, as text. `None` for anything else."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        plain = _PLAIN.match(value) and ": " not in value and value.lower() not in _WORDS
        number = re.fullmatch(r"[0-9.:_-]*", value)
        return value if plain and not number and value.strip() == value else _quoted(value)
    if isinstance(value, int | float):
        return str(value)
    if isinstance(value, dict) and len(value) == 1:
        (function, argument), = value.items()
        tag = function.removeprefix("Fn::")
        if function == "Fn::GetAtt":
            return f"!GetAtt {'.'.join(argument)}"
        if isinstance(argument, str) and (tag != function or function in ("Ref", "Condition")):
            bare = argument if flow else re.sub(r"\$\{[^}]*\}", "", argument)
            special = re.search(r"[\[\]{},#]|: ", bare)
            return f"!{tag} {_quoted(argument) if special or not argument.strip() else argument}"
    return None


def write(value, indent=""):
    """Returns a value in block style, to follow the line that ends in its key."""
    if isinstance(value, dict) and "\n" in str(value.get("Fn::Sub", "")):
        lines = value["Fn::Sub"].removesuffix("\n").split("\n")
        return " !Sub |\n" + "".join(f"{indent}{line}\n" for line in lines)
    if (scalar := _scalar(value)) is not None:
        return f" {scalar}\n"
    if not value:
        return " {}\n" if isinstance(value, dict) else " []\n"
    tag = ""
    if isinstance(value, dict) and len(value) == 1:
        (function, argument), = value.items()
        if function.startswith("Fn::") and "::" not in function[4:]:
            tag, value = f" !{function[4:]}", argument
    if isinstance(value, list):
        scalars = [_scalar(entry, flow=True) for entry in value]
        if None not in scalars and sum(map(len, scalars)) < _WIDTH:
            return f"{tag} [{', '.join(scalars)}]\n"
        return f"{tag}\n" + "".join(f"{indent}-{_entry(entry, indent)}" for entry in value)
    return f"{tag}\n" + "".join(f"{indent}{key}:{write(v, indent + '  ')}" for key, v in value.items())


def _entry(entry, indent):
    """Returns an entry of a list, to follow its dash."""
    text = write(entry, indent + "  ")
    return f" {text.lstrip()}" if isinstance(entry, dict) and text.startswith("\n") else text


def document(source):
    """Returns a whole template as text, with an empty line between the members of each section."""
    text = ""
    for section, content in source.items():
        if isinstance(content, dict):
            members = (f"  {name}:{write(member, '    ')}" for name, member in content.items())
            text += f"{section}:\n" + "\n".join(members) + "\n"
        else:
            text += f"{section}:{write(content, '  ')}"
    return text
