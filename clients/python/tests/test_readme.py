"""The README's programs: mypy checks that the library has what they call."""

import re
import subprocess
import sys
from pathlib import Path

README = Path(__file__).resolve().parent.parent / "README.md"

# Definitions that the programs leave out.
PRELUDE = """
from typing import Any
database: Any
current_order: Any
mail: Any
"""


def test_programs_call_what_there_is(tmp_path: Path) -> None:
    blocks = re.findall(
        r"^```python\n(.*?)^```", README.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )
    programs = [block for block in blocks if "self, id" not in block]
    assert len(programs) == len(blocks) - 1 == 6
    program = tmp_path / "readme.py"
    program.write_text(PRELUDE + "\n".join(programs), encoding="utf-8")
    words = ["-m", "mypy", "--check-untyped-defs", "--cache-dir", str(tmp_path / "cache"), str(program)]
    done = subprocess.run([sys.executable, *words], capture_output=True, text=True, cwd=tmp_path, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
