# SPDX-License-Identifier: Apache-2.0
"""Samples of an autoscaler in NumPy arrays: run by test_autoscaler.py where NumPy and pandas are installed."""

import unittest
from unittest import mock

import numpy
import pandas
from checkout import use_package

use_package()
import joulie  # noqa: E402
from joulie import abi  # noqa: E402

NOW_MS = 1_773_403_200_000
PROFILE = {
    "apiVersion": "tensor-fusion.ai/v1",
    "kind": "WorkloadProfile",
    "metadata": {"name": "p", "namespace": "ml"},
    "spec": {
        "autoScalingConfig": {"autoSetLimits": {"enable": True}},
        "resources": {
            "requests": {"tflops": "10", "vram": "4Gi"},
            "limits": {"tflops": "20", "vram": "4Gi"},
        },
    },
}
AT_MS = NOW_MS - numpy.arange(6)[::-1] * 10_000
TFLOPS = numpy.array([19.2, 19.4, 19.6, numpy.nan, 20.0, 20.0])
WORKER = numpy.array([0, 1, 0, 1, 0, 1], dtype="int32")


def saved(*table, **columns):
    """What is learnt from these samples."""
    with joulie.Autoscaler(PROFILE) as scaler:
        scaler.put_samples(*table, workers=["w-0", "w-1"], **columns)
        step = scaler.step(NOW_MS)
        return step, scaler.save()


class Arrays(unittest.TestCase):
    def setUp(self):
        self.expected = saved(at_ms=AT_MS, worker=WORKER, tflops=TFLOPS, vram_bytes=2e9)

    def test_a_strided_column_is_read_where_it_is(self):
        table = numpy.zeros((6, 4))
        table[:, 2] = TFLOPS
        seen = {}
        put = abi.joulie_autoscaler_put_samples

        def spy(handle, samples, count, err):
            given = samples._obj
            seen["tflops"] = (given.tflops.at, given.tflops.stride)
            seen["at_ms"] = (given.at_ms.at, given.at_ms.stride)
            return put(handle, samples, count, err)

        with mock.patch.object(abi, "joulie_autoscaler_put_samples", spy):
            columns = {"worker": WORKER, "tflops": table[:, 2], "vram_bytes": 2e9}
            found = saved(at_ms=AT_MS, **columns)
        self.assertEqual(found, self.expected)
        self.assertEqual(seen["tflops"], (table.ctypes.data + 16, 32))
        self.assertEqual(seen["at_ms"], (AT_MS.ctypes.data, AT_MS.strides[0]))

    def test_a_frame_is_a_table(self):
        columns = {"at_ms": AT_MS, "worker": WORKER, "tflops": TFLOPS, "vram_bytes": 2e9}
        frame = pandas.DataFrame({**columns, "node": "n1"})
        self.assertEqual(saved(frame), self.expected)

    def test_fields_of_a_structured_array(self):
        rows = numpy.zeros(6, dtype=[("at_ms", "i8"), ("tflops", "f8"), ("vram_bytes", "f8")])
        rows["at_ms"], rows["tflops"], rows["vram_bytes"] = AT_MS, TFLOPS, 2e9
        self.assertEqual(saved(rows, worker=WORKER), self.expected)

    def test_another_type_is_an_error(self):
        with self.assertRaises(TypeError):
            saved(at_ms=AT_MS, worker=WORKER.astype("int64"), tflops=TFLOPS)

    def test_the_simulation_answers_a_frame(self):
        runs = joulie.simulate_autoscale("step", hours=1, seeds=1)
        self.assertIsInstance(runs, pandas.DataFrame)
        self.assertEqual(runs.attrs["summary"]["hours"], 1)


if __name__ == "__main__":
    unittest.main()
