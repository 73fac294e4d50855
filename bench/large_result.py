"""The memory that one large CSV result adds to a server: all 336,776 flights of examples/flights.

python large_result.py URL [COUNT]     the flights' database, loaded by examples/flights/load.py

Prints the resident memory before, at the peak and after COUNT exports (1 unless said), in MiB, and
how long each took. Exit status 1 where the peak adds more than LIMIT_MIB.
"""

import http.client
import re
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from tests.run.processes import LIMIT_S, headers, post, request, serving  # noqa: E402

LIMIT_MIB = 100
BLOCK_BYTES = 1024**2


def memory(pid: int) -> dict[str, float]:
    """Resident memory now (`VmRSS`) and at its peak (`VmHWM`), in MiB."""
    text = Path(f"/proc/{pid}/status").read_text()
    return {name: int(kib) / 1024 for name, kib in re.findall(r"(VmHWM|VmRSS):\s+(\d+)", text)}


def export(port: int) -> tuple[int, float]:
    """Reads one export without keeping it; its bytes and seconds."""
    start = time.monotonic()
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=4 * LIMIT_S)
    connection.request("POST", "/mcp", request("export_flights"), headers("export_flights"))
    response = connection.getresponse()
    size = 0
    while block := response.read(BLOCK_BYTES):
        size += len(block)
    connection.close()
    return size, time.monotonic() - start


def main() -> None:
    """Measures one server."""
    url, count = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1
    file = ROOT / "examples" / "flights" / "mcp.yaml"
    with serving(file, environment={"DATABASE_URL": url}) as served:
        post(served.port, "export_flights", {"month": 2, "origin": "LGA"})
        before = memory(served.process.pid)["VmRSS"]
        print(f"before     {before:7.1f} MiB")
        for _ in range(count):
            size, seconds = export(served.port)
            print(f"export     {size / 1024**2:7.1f} MiB on the wire, {seconds:.1f} s")
        after = memory(served.process.pid)
    added = after["VmHWM"] - before
    print(f"after      {after['VmRSS']:7.1f} MiB")
    print(f"peak added {added:7.1f} MiB, at most {LIMIT_MIB} wanted")
    sys.exit(added > LIMIT_MIB)


if __name__ == "__main__":
    main()
