"""Holds the last rows of `run.py` to our bars: LAB=folder python3 bars.py [--rows N].

Needs rows of ours, ours hypercorn, toolbox and floor hypercorn from one run. Prints a line a bar
and ends with `N passed, N failed`; exit 1 if one failed. Only the standard library is used here.
"""

import argparse
import json
import os
import statistics
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

LAB = Path(os.environ.get("LAB") or Path(tempfile.gettempdir()) / "mcp-bench")
RATIOS = [
    ("ours", "toolbox", "echo 1", 0.8),
    ("ours", "toolbox", "echo 32", 0.8),
    ("ours", "toolbox", "get_item 1", 0.6),
    ("ours", "toolbox", "get_item 32", 0.6),
    ("ours hypercorn", "floor hypercorn", "echo 1", 0.7),
    ("ours hypercorn", "floor hypercorn", "echo 32", 0.7),
    ("ours hypercorn", "floor hypercorn", "get_item 1", 0.7),
    ("ours hypercorn", "floor hypercorn", "get_item 32", 0.7),
]
"""Ours, whose requests a second it is held to, the cell, and at least how much of them."""
MAX_START_S = 0.9


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=0, help="only the last N rows")
    args = parser.parse_args()
    rows = [json.loads(line) for line in (LAB / "results.jsonl").read_text().splitlines()]
    rates, starts = defaultdict(list), defaultdict(list)
    for row in rows[-args.rows :]:
        starts[row["name"]].append(row["startup"])
        for cell, found in row["cells"].items():
            rates[row["name"], cell].append(found["rps"])
    passed = failed = 0
    for name, peer, cell, bar in RATIOS:
        ratio = statistics.median(rates[name, cell]) / statistics.median(rates[peer, cell])
        print(
            f"{'pass' if ratio >= bar else 'FAIL'}  {name} / {peer}, {cell}: {ratio:.2f} of {bar}"
        )
        passed, failed = passed + (ratio >= bar), failed + (ratio < bar)
    for name in ("ours", "ours hypercorn"):
        start = statistics.median(starts[name])
        print(
            f"{'pass' if start <= MAX_START_S else 'FAIL'}  {name}, start to first answer: {start:.2f} s"
        )
        passed, failed = passed + (start <= MAX_START_S), failed + (start > MAX_START_S)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
