"""Sends mutated requests to a whole server in memory: python bench/fuzz.py --messages 100000

Half go over HTTP and half over stdio; every answer is held against the schema of its version. Run
it from the root with the project's Python. It prints what fails, made as small as it gets, and the
seed, which repeats a run. Exit status: 0 nothing failed.
"""

import argparse
import os
import random
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--messages", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=random.randrange(2**32))
    options = parser.parse_args()
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:randomly", "-p", "no:cacheprovider"]
    command += ["tests/fuzz", f"--hypothesis-seed={options.seed}"]
    environment = {**os.environ, "MCP_RUN_FUZZ_MESSAGES": str(options.messages)}
    began = time.monotonic()
    status = subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode
    took_s = time.monotonic() - began
    print(f"{options.messages} messages in {took_s:.0f} s, seed {options.seed}")
    return status


if __name__ == "__main__":
    sys.exit(main())
