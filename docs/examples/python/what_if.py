# SPDX-License-Identifier: Apache-2.0
"""What would caps cost? 1,000 machines as columns: headroom and watts under caps of 100 to 40 %.

python3 docs/examples/python/what_if.py
"""

import numpy

import joulie

COUNT = 1000
random = numpy.random.default_rng(1)

# A table as a monitoring system has it: one row per machine, NaN where nothing was read.
machines = numpy.zeros(
    COUNT,
    dtype=[("cpu_sockets", "f8"), ("cpu_max_w", "f8"), ("measured_node_power_w", "f8")],
)
machines["cpu_sockets"] = 2
machines["cpu_max_w"] = random.choice([225, 280, 350], COUNT)
machines["measured_node_power_w"] = machines["cpu_max_w"] * random.uniform(0.4, 1.6, COUNT)
machines["measured_node_power_w"][::50] = numpy.nan

wanted = ["power_headroom_score", "node_capped_w", "power_tier"]
print("cap  allowed kW  above the cap  not measured")
for cap_pct in range(100, 30, -20):
    found = joulie.predict_columns(machines, cpu_cap_pct=cap_pct, out=wanted)
    allowed_kw = found["node_capped_w"].sum() / 1000
    above = (found["power_headroom_score"] < 0).sum()
    unseen = (found["power_tier"] != joulie.PowerTier.MEASURED).sum()
    print(f"{cap_pct:3} {allowed_kw:11.1f} {above:14} {unseen:13}")
