"""Names that the program gives to counters and providers, for the rules of the template.

    program.py            fails if program.json is stale
    program.py --write    writes it

Both ask a server, which COUNTERSIGN_BIN starts.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

NAMES = Path(__file__).with_name("program.json")


def counters():
    """Returns the counters of the program, including a server's."""
    return set(json.loads(NAMES.read_text("utf-8"))["counters"])


def providers():
    """Returns the providers of texts."""
    return set(json.loads(NAMES.read_text("utf-8"))["providers"])


def _asked():
    """Returns what program.json has to hold."""
    with tempfile.TemporaryDirectory() as folder:
        command = [os.environ["COUNTERSIGN_BIN"], "--data", str(Path(folder, "data"))]
        listening = [*command, "serve", "--listen", "127.0.0.1:0"]
        with subprocess.Popen(listening, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
            try:
                # The loop ends without such a line if the server cannot start.
                if not any("is ready" in line for line in server.stdout):
                    sys.exit("the server cannot start")

                def answer(*words):
                    return json.loads(subprocess.check_output([*command, *words, "--json"]))

                return {
                    "counters": [event["name"] for event in answer("metrics")["events"]],
                    "providers": [provider["provider"] for provider in answer("provider", "list")],
                }
            finally:
                server.terminate()


if __name__ == "__main__":
    asked = json.dumps(_asked(), indent=2) + "\n"
    if sys.argv[1:] == ["--write"]:
        NAMES.write_text(asked, "utf-8")
    elif asked != NAMES.read_text("utf-8"):
        sys.exit("infra/rules/program.json is stale: run make openapi")
