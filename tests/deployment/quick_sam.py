"""Runs the real SAM, which then compresses quickly: the tests upload twelve functions again and again."""

import zipfile

from samcli.cli.main import cli

compressor = zipfile._get_compressor
zipfile._get_compressor = lambda kind, _=None: compressor(kind, 1)
cli(prog_name="sam")
