"""A store in SQL, here SQLite: `act` runs in the transaction that writes the id, so both happen or neither does.

The effects have to use the same connection. Delete rows after their time, for example each night.
"""

import sqlite3
import time
from collections.abc import Callable

from countersign.store import Acceptance

TABLE = """CREATE TABLE IF NOT EXISTS countersign
    (id TEXT PRIMARY KEY, state TEXT NOT NULL, expires_at REAL NOT NULL)"""
REMEMBER = """INSERT INTO countersign VALUES (?, 'pending', ?) ON CONFLICT (id) DO UPDATE
    SET state = 'pending', expires_at = excluded.expires_at WHERE countersign.expires_at <= ?"""
ACCEPT = "UPDATE countersign SET state = 'accepted' WHERE id = ? AND state = 'pending' AND expires_at > ?"
KNOWN = "SELECT 1 FROM countersign WHERE id = ? AND expires_at > ?"


class SqlStore:
    def __init__(self, database: sqlite3.Connection, time: Callable[[], float] = time.time) -> None:
        self._database = database
        self._time = time
        database.execute(TABLE)

    def remember(self, id: str, ttl_seconds: int, act: Callable[[], None]) -> bool:
        with self._database:  # Commits, or rolls back if `act` raises.
            values = (id, self._time() + ttl_seconds, self._time())
            if self._database.execute(REMEMBER, values).rowcount != 1:
                return False
            act()
            return True

    def accept(self, id: str, act: Callable[[], None]) -> Acceptance:
        with self._database:
            if self._database.execute(ACCEPT, (id, self._time())).rowcount == 1:
                act()
                return "accepted"
            known = self._database.execute(KNOWN, (id, self._time())).fetchone()
            return "repeated" if known else "unknown"
