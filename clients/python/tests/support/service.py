"""The real service: the command `countersign serve` in local mode, and the phones that it simulates."""

import json
import os
import subprocess
import threading
from functools import cached_property
from pathlib import Path
from typing import Any


def skipped(test: str, missing: str) -> None:
    """Reports that a test did not run."""
    line = f"SKIPPED: {test}: {missing}\n"
    os.write(2, line.encode())
    if log := os.environ.get("COUNTERSIGN_SKIP_LOG"):
        with open(log, "a", encoding="utf-8") as opened:
            opened.write(line)


class RealService:
    def __init__(self, program: str, folder: Path) -> None:
        self._program = program
        self._folder = folder
        self._log = (folder / "log").open("wb")
        words = [program, "--data", self._data, "serve", "--listen", "127.0.0.1:0", "--no-rate-limits"]
        self._process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=self._log, text=True)
        assert self._process.stdout
        # If it cannot start, it ends and so stops the loop.
        if not any("is ready" in line for line in self._process.stdout):
            raise AssertionError((folder / "log").read_text())
        self._rest = threading.Thread(target=self._process.stdout.read, daemon=True)
        self._rest.start()
        demo = json.loads((folder / "data/demo.json").read_text())
        self.url: str = demo["url"]
        self.api_key: str = demo["apiKey"]
        self.app_key: str = demo["appKey"]

    @property
    def _data(self) -> str:
        return str(self._folder / "data")

    def run(self, *words: str) -> Any:
        """Runs a command on the service's data, asserts that it succeeds, and returns its JSON."""
        done = subprocess.run(
            [self._program, "--data", self._data, *words, "--json"],
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout or "null")

    @cached_property
    def test_key(self) -> str:
        """A key whose confirmations no text from a phone completes."""
        return str(self.run("key", "issue", "demo", "--test")["apiKey"])

    def text(self, started: Any, sender: str = "+12025550100") -> None:
        """Sends the text of a confirmation from a phone."""
        message = ("--to", started.send_to, "--message", started.confirmation_message)
        self.run("phone", "text", "--from", sender, *message)

    def phone(self, *words: str) -> Any:
        return self.run("phone", "--phone", str(self._folder / "phone"), *words)

    def stop(self) -> None:
        self._process.terminate()
        code = self._process.wait(60)
        self._rest.join()
        assert self._process.stdout
        self._process.stdout.close()
        self._log.close()
        assert code == 0, (self._folder / "log").read_text()
