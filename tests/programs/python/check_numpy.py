# SPDX-License-Identifier: Apache-2.0
"""Columns on NumPy arrays and pandas tables: run by test_columns.py where both are installed."""

import unittest

import numpy
import pandas
from checkout import use_package

use_package()
import joulie  # noqa: E402
from joulie import _columns  # noqa: E402

NOW_MS = 1_773_403_200_000
WORK = joulie.Work(cpu_cores=8)
VALUES = numpy.array([80.0, 20.0, 50.0])


def place(table=None, **columns):
    options = {"work": WORK, "now_ms": NOW_MS, "updated_ms": NOW_MS, "cooling_stress_score": 20}
    return joulie.place_nodes(table, **{**options, **columns})


def raw(*table, **columns):
    return place(*table, out=["raw"], **columns)["raw"]


def address(values):
    return values.__array_interface__["data"][0]


class Arrays(unittest.TestCase):
    def check_place(self, values, expected):
        """Where the library is to read."""
        with _columns.Call() as call:
            place = call.read(values, _columns.FLOAT, "x")
        self.assertEqual((place.address, place.stride), (address(expected), expected.strides[0]))

    def test_answers_are_arrays(self):
        found = place(headroom_score=VALUES)
        self.assertEqual({type(column) for column in found.values()}, {numpy.ndarray})
        self.assertEqual((found["raw"].dtype, found["score"].dtype), (numpy.float64, numpy.int32))

    def test_views_are_read_where_they_are(self):
        table = numpy.arange(24.0).reshape(6, 4)
        for view in (table[:, 1], table[2], table[::2, 3], table[::-1, 0], table.T[1], VALUES):
            with self.subTest(strides=view.strides):
                self.check_place(view, view)
                self.assertTrue((raw(headroom_score=view) == raw(headroom_score=view.copy())).all())

    def test_fields_of_structured_arrays(self):
        dtype = [("name", "U8"), ("headroom_score", "f8"), ("updated_ms", "i8"), ("class", "i4")]
        rows = numpy.zeros(3, dtype=numpy.dtype(dtype, align=True))
        rows["headroom_score"], rows["updated_ms"] = VALUES, NOW_MS
        self.check_place(rows["headroom_score"], rows["headroom_score"])
        options = {"work": WORK, "now_ms": NOW_MS, "cooling_stress_score": 20, "out": ["raw"]}
        found = joulie.place_nodes(rows, **options)["raw"]
        self.assertTrue((found == raw(headroom_score=VALUES)).all())

    def test_scalars_of_numpy_stand_for_all_rows(self):
        expected = raw(headroom_score=VALUES, capped_w=1000.0)
        for one in (numpy.float64(1000), numpy.array(1000.0), 1000):
            self.assertTrue((raw(headroom_score=VALUES, capped_w=one) == expected).all())
        spread = numpy.broadcast_to(numpy.array(1000.0), 3)
        self.assertTrue((raw(headroom_score=VALUES, capped_w=spread) == expected).all())

    def test_answers_go_into_views(self):
        table = numpy.full((3, 4), -1.0)
        place(headroom_score=VALUES, out={"raw": table[:, 2]})
        self.assertTrue((table[:, 2] == raw(headroom_score=VALUES)).all())
        table[:, 2] = -1
        self.assertTrue((table == -1).all())

    def test_nan_is_unknown(self):
        values = numpy.array([80.0, numpy.nan])
        found = place(headroom_score=values)
        self.assertEqual(list(found["code"]), [0, 0])
        refused = place(headroom_score=values, nan_is_unknown=False)
        self.assertEqual(list(refused["code"]), [0, joulie.abi.Code.E_RANGE])
        bits = joulie.PlaceHas.UPDATED | joulie.PlaceHas.COOLING
        has = numpy.array([bits | joulie.PlaceHas.HEADROOM, bits], dtype="uint64")
        by_hand = place(headroom_score=values, has=has)
        self.assertTrue(all((found[name] == by_hand[name]).all() for name in found))

    def test_many_rows_are_the_predictions_of_single_ones(self):
        random = numpy.random.default_rng(7)
        count = 1003
        known = {
            "cpu_sockets": random.integers(1, 5, count).astype(float),
            "cpu_cores": random.integers(1, 400, count).astype(float),
            "cpu_max_w": random.uniform(50, 500, count),
            "cpu_cap_pct": random.uniform(1, 100, count),
            "gpu_count": random.integers(0, 9, count).astype(float),
            "gpu_max_w": random.uniform(100, 900, count),
            "measured_node_power_w": random.uniform(0, 9000, count),
            "cpu_util_pct": random.uniform(0, 100, count),
            "outside_temp_c": random.uniform(-40, 55, count),
            "rack_total_power_w": random.uniform(0, 60000, count),
        }
        for column in known.values():
            column[random.random(count) < 0.2] = numpy.nan
        table = numpy.column_stack(list(known.values()))  # the same, strided
        strided = {name: table[:, at] for at, name in enumerate(known)}
        found, again = joulie.predict_columns(known), joulie.predict_columns(strided)
        for name in found:
            numpy.testing.assert_array_equal(found[name], again[name], name)
        for row in range(count):
            single = {name: column[row] for name, column in known.items()}
            node = joulie.predict(**{k: v for k, v in single.items() if not numpy.isnan(v)})
            for name, expected in node._asdict().items():
                value = found[name][row]
                if expected is None:
                    self.assertTrue(numpy.isnan(value), name)
                else:
                    self.assertEqual(value, expected, name)


class Refused(unittest.TestCase):
    def refused(self, kind, text, values, name="headroom_score"):
        with self.assertRaisesRegex(kind, f"{name}: .*{text}"):
            place(**{name: values})

    def test_what_would_have_to_be_copied(self):
        self.refused(TypeError, "float64", VALUES.astype("float32"))
        self.refused(TypeError, "float64", VALUES.astype("int64"))
        self.refused(TypeError, "float64", VALUES.astype(">f8"))
        self.refused(TypeError, "float64", VALUES > 3)
        self.refused(TypeError, "float64", VALUES.astype("complex128"))
        self.refused(TypeError, "float64", VALUES.astype(object))
        self.refused(TypeError, "int32", VALUES.astype("int64"), "node_class")
        times = numpy.array(["2026-03-13"] * 3, dtype="datetime64[ms]")
        self.refused(TypeError, "int64", times, "updated_ms")
        place(headroom_score=VALUES, updated_ms=times.view("int64"))

    def test_packed_fields(self):
        rows = numpy.zeros(3, dtype=[("a", "i1"), ("headroom_score", "f8")])
        self.refused(ValueError, "not aligned", rows["headroom_score"])

    def test_masked_values_are_not_taken_for_measurements(self):
        masked = numpy.ma.masked_array(VALUES, mask=[True, False, False])
        self.refused(TypeError, r"filled\(numpy.nan\)", masked)
        self.refused(TypeError, r"filled\(numpy.nan\)", numpy.ma.masked)
        rows = numpy.ma.zeros(3, dtype=[("headroom_score", "f8")])
        with self.assertRaisesRegex(TypeError, "headroom_score: .*filled"):
            joulie.place_nodes(rows, work=WORK, now_ms=NOW_MS)
        with self.assertRaisesRegex(TypeError, "raw: .*filled"):
            place(headroom_score=VALUES, out={"raw": masked})
        basis = place(headroom_score=masked.filled(numpy.nan), capped_w=1000.0)["basis"]
        self.assertEqual(basis[0], joulie.Basis.MISSING)

    def test_outputs_that_overlap(self):
        room = numpy.zeros(6)
        with self.assertRaisesRegex(ValueError, "marginal_w: .*overlap.* raw"):
            place(headroom_score=VALUES, out={"raw": room[:3], "marginal_w": room[2:5]})
        with self.assertRaisesRegex(ValueError, "overlap"):
            place(headroom_score=VALUES, out={"raw": room[::2], "marginal_w": room[1:4]})
        with self.assertRaisesRegex(ValueError, "overlap"):
            place(headroom_score=VALUES, out={"raw": room[:3], "marginal_w": room[:3]})
        with self.assertRaisesRegex(ValueError, "overlap"):
            place(headroom_score=VALUES, out={"raw": room[:3], "score": room.view("i4")[1:4]})
        ten = numpy.zeros(10)
        ten[:3] = VALUES
        with self.assertRaisesRegex(ValueError, "raw: .*overlap.* headroom_score"):
            place(headroom_score=ten[:3], out={"raw": ten[1:4]})
        with self.assertRaisesRegex(ValueError, "overlap"):
            place(headroom_score=ten[2::-1], out={"raw": ten[:3]})

    def test_outputs_side_by_side(self):
        expected = place(headroom_score=VALUES)
        table = numpy.zeros((3, 4))
        table[:, 3] = VALUES
        out = {"raw": table[:, 0], "marginal_w": table[:, 2], "term_trend": table[::-1, 1]}
        place(headroom_score=table[:, 3], out=out)
        for name, values in out.items():
            self.assertEqual(list(values), list(expected[name]), name)
        place(headroom_score=table[:, 3], out={"raw": table[:, 3]})  # in place of its input
        self.assertEqual(list(table[:, 3]), list(expected["raw"]))
        thin, wide = numpy.zeros(20), numpy.zeros(20)
        place(headroom_score=VALUES, out={"raw": thin[0:9:3], "marginal_w": thin[1:12:4]})
        with self.assertRaisesRegex(ValueError, "overlap"):  # in its seventh number
            place(headroom_score=VALUES, out={"raw": thin[0:9:3], "marginal_w": thin[1:12:5]})
        place(headroom_score=VALUES, out={"raw": wide[:3], "marginal_w": wide[3:6]})

    def test_outputs_without_a_place_for_each_row(self):
        spread = numpy.broadcast_to(numpy.array(1.0), 3)
        with self.assertRaisesRegex(TypeError, "writable"):
            place(headroom_score=VALUES, out={"raw": spread})
        with self.assertRaisesRegex(ValueError, "place of its own"):
            same = numpy.lib.stride_tricks.as_strided(numpy.zeros(1), (3,), (0,), writeable=True)
            place(headroom_score=VALUES, out={"raw": same})


class Frames(unittest.TestCase):
    FRAME = pandas.DataFrame(
        {
            "node": ["a", "b", "c"],
            "headroom_score": VALUES,
            "capped_w": [1000.0, 900.0, 800.0],
            "gpu_count": [0, 4, 8],
        }
    )

    def test_columns_of_a_frame_are_read_where_they_are(self):
        frame = self.FRAME.drop(columns="gpu_count")
        for name in ("headroom_score", "capped_w"):
            with _columns.Call() as call:
                found = call.read(frame[name], _columns.FLOAT, name)
            self.assertEqual(found.address, address(frame[name].to_numpy()))
        expected = raw(headroom_score=VALUES, capped_w=numpy.array([1000.0, 900.0, 800.0]))
        self.assertTrue((raw(frame) == expected).all())

    def test_a_frame_made_of_one_table_has_strided_columns(self):
        table = numpy.array([[80.0, 1000.0], [20.0, 900.0], [50.0, 800.0]])
        frame = pandas.DataFrame(table, columns=["headroom_score", "capped_w"], copy=False)
        self.assertTrue((raw(frame) == raw(self.FRAME.drop(columns="gpu_count"))).all())

    def test_columns_of_another_type_are_refused(self):
        with self.assertRaisesRegex(TypeError, "gpu_count: .*float64"):
            place(self.FRAME)
        for dtype in ("Float64", "Int64", "float64[pyarrow]"):
            try:
                values = pandas.Series([1.0, None, 3.0]).astype(dtype)
            except ImportError:
                continue  # without pyarrow
            with self.assertRaisesRegex(TypeError, "cap.*copy"):
                place(headroom_score=VALUES, capped_w=values)

    def test_an_answer_is_a_frame_with_one_call(self):
        frame = self.FRAME.drop(columns="gpu_count")
        found = pandas.DataFrame(place(frame), index=frame["node"])
        self.assertEqual(found.loc["a", "code"], 0)
        self.assertEqual(len(found), 3)


class Simulated(unittest.TestCase):
    INVENTORY = {
        "nodes": [
            {
                "node_name": "a",
                "cpu": "AMD EPYC 9654",
                "cpu_sockets": 1,
                "cpu_cores": 96,
                "memory_gib": 64,
            }
        ]
    }

    def test_simulate_returns_a_frame(self):
        trace = joulie.generate_workload(jobs=5, seed=1, gpu_ratio=0, max_duration_s=600)
        jobs = joulie.simulate(self.INVENTORY, trace)
        self.assertIsInstance(jobs, pandas.DataFrame)
        self.assertEqual(len(jobs), 5)
        self.assertEqual(jobs["submitted_s"].dtype, numpy.float64)
        self.assertEqual(jobs.attrs["summary"]["podsSubmitted"], 5)
        nodes = joulie.simulate(self.INVENTORY, trace, table="nodes")
        self.assertEqual(set(nodes["run"]), {"controlled", "uncontrolled"})
        self.assertEqual(nodes["hour"].dtype, numpy.int64)
        energy = nodes.groupby("run")["cpu_wh"].sum()["controlled"] / 1000
        summary = nodes.attrs["summary"]["itEnergyKwh"]["controlled"]
        self.assertAlmostEqual(energy, summary, places=6)


if __name__ == "__main__":
    unittest.main()
