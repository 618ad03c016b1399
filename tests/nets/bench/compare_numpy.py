# SPDX-License-Identifier: Apache-2.0
"""The work of compare.py in Python: the json module, and the formulas of the twin on NumPy columns.

One line of standard input names a figure, one line of output answers with nanoseconds and a
checksum of the results.
"""

from __future__ import annotations

import json
import struct
import sys
import time
import zlib
from pathlib import Path
from typing import Any, Callable

import numpy as np


class Work:
    def __init__(self, folder: Path) -> None:
        self.text = (folder / "twins.json").read_bytes()
        self.columns = np.fromfile(folder / "columns.bin").reshape(10, -1)
        self.items: list[dict[str, Any]] = []

    def decode(self) -> tuple[int, int]:
        start = time.perf_counter_ns()
        items = json.loads(self.text)["items"]
        took = time.perf_counter_ns() - start
        total = 0
        for twin in items:
            spec, status = twin["spec"], twin["status"]
            total = zlib.crc32(spec["nodeName"].encode(), total)
            numbers = (
                spec["cpu"]["packagePowerCapPctOfMax"],
                status["powerMeasurement"]["measuredNodePowerW"],
                status["predictedPowerHeadroomScore"],
            )
            total = zlib.crc32(struct.pack("<3d", *numbers), total)
        self.items = items
        return took, total

    def encode(self) -> tuple[int, int]:
        if not self.items:
            self.decode()
        start = time.perf_counter_ns()
        text = "".join(json.dumps(item, separators=(",", ":")) + "\n" for item in self.items)
        return time.perf_counter_ns() - start, zlib.crc32(text.encode())

    def columns_of_twins(self) -> tuple[int, int]:
        sockets, cores, cpu_max, cpu_pct, gpus, gpu_max, gpu_pct, power, outside, rack = (
            self.columns
        )
        start = time.perf_counter_ns()
        if not np.isfinite(self.columns).all() or (self.columns[[0, 2, 7, 9]] < 0).any():
            raise ValueError("a number is out of its bounds")
        if not ((cpu_pct > 0) & (cpu_pct <= 100)).all() or (cores < 0).any():
            raise ValueError("a number is out of its bounds")
        cpu_tdp = cpu_max * sockets
        gpu_tdp = gpu_max * gpus
        capped = cpu_tdp * cpu_pct / 100 + gpu_tdp * gpu_pct / 100
        headroom = np.minimum(100, (capped - power) / capped * 100)
        k = 1 / np.maximum(0.5, 1 - (outside - 20) * 0.02)
        cooling = np.clip(power / (cpu_tdp + gpu_tdp) * k * 100, 0, 100)
        psu = np.clip(rack / 50000 * 100, 0, 100)
        took = time.perf_counter_ns() - start
        return took, zlib.crc32(np.column_stack((headroom, cooling, psu)).tobytes())


def main() -> None:
    work = Work(Path(sys.argv[1]))
    figures: dict[str, Callable[[], tuple[int, int]]] = {
        "decode": work.decode,
        "encode": work.encode,
        "columns": work.columns_of_twins,
    }
    for line in sys.stdin:
        took, total = figures[line.strip()]()
        print(f"{took} {total:08x}", flush=True)


if __name__ == "__main__":
    main()
