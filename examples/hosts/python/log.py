"""Where sessions are kept: a folder with one file for each, or nothing but memory."""
import fcntl
import json
import os

from faults import fault


class Folder:
    """A folder of logs. A line of a log is one entry: records that happened together or not at all."""

    durability = "durable"

    def __init__(self, folder):
        os.makedirs(folder, exist_ok=True)
        self.folder = folder
        # Freed by the system when the process ends, however it does.
        self._lock = open(os.path.join(folder, "lock"), "w")
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise SystemExit(4) from None

    def path(self, name):
        return os.path.join(self.folder, name + ".log")

    def names(self):
        return [name[:-4] for name in os.listdir(self.folder) if name.endswith(".log")]

    def create(self, name, records):
        """A new log with its first entry; it is there with it or not at all."""
        draft = self.path(name) + ".new"
        with open(draft, "wb") as file:
            file.write(_line(records))
            file.flush()
            os.fsync(file.fileno())
        os.rename(draft, self.path(name))
        folder = os.open(self.folder, os.O_RDONLY)
        os.fsync(folder)
        os.close(folder)
        return Log(self.path(name))

    def first(self, name):
        """The first entry of a log."""
        with open(self.path(name), "rb") as file:
            return json.loads(file.readline())

    def read(self, name):
        """The entries of a log; None where there is none. A torn end was never acked: it does not count."""
        try:
            with open(self.path(name), "rb") as file:
                lines = file.read().split(b"\n")
        except FileNotFoundError:
            return None
        return [json.loads(line) for line in lines[:-1]]

    def open(self, name):
        """The log to append to, without its torn end."""
        with open(self.path(name), "rb+") as file:
            file.truncate(file.read().rfind(b"\n") + 1)
        return Log(self.path(name))


class Log:
    """A log that is open."""

    def __init__(self, path):
        self.path = path
        self._file = open(path, "ab", buffering=0)
        self._late = b""

    def append(self, records):
        """Appends an entry. When this returns it is durable."""
        line = _line(records)
        if fault("ack-before-write"):
            line, self._late = self._late, line
        self._file.write(line)
        os.fsync(self._file.fileno())

    def close(self):
        self._file.write(self._late)
        self._file.close()


class Memory:
    """What a host has in place of a folder that keeps nothing."""

    durability = "ephemeral"

    def path(self, name):
        return ""

    def names(self):
        return []

    def read(self, name):
        return None

    def create(self, name, records):
        return Nowhere()


class Nowhere:
    """A log that keeps nothing."""

    path = ""

    def append(self, records):
        pass

    def close(self):
        pass


def _line(records):
    return json.dumps(records, separators=(",", ":")).encode() + b"\n"
