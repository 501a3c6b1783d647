"""The package's types, checked by mypy, and the generated files, compared with the description."""

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent


def run(*words: str) -> None:
    done = subprocess.run([sys.executable, *words], cwd=HERE, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr


def test_package_and_program_are_typed(tmp_path: Path) -> None:
    run("-m", "mypy", "--cache-dir", str(tmp_path))


def test_generated_files_are_fresh() -> None:
    run("scripts/generate.py", "--check")
