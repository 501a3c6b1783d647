"""Runs the real SAM, which then compresses nothing and reads YAML with libyaml: the tests deploy again and again."""

import zipfile

import yaml

compressor = zipfile._get_compressor
zipfile._get_compressor = lambda kind, _=None: compressor(kind, 0)
# Before SAM registers the tags of CloudFormation.
yaml.SafeLoader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

from samcli.cli.main import cli  # noqa: E402

cli(prog_name="sam")
