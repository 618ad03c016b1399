# SPDX-License-Identifier: Apache-2.0
"""Columns on array.array and memoryview, without NumPy: run by test_columns.py."""

import array
import sys
import unittest

sys.modules["numpy"] = None  # type: ignore[assignment]
sys.modules["pandas"] = None  # type: ignore[assignment]

from checkout import use_package  # noqa: E402

use_package()
import joulie  # noqa: E402

NOW_MS = 1_773_403_200_000
WORK = joulie.Work(cpu_cores=8)


def floats(*values):
    return array.array("d", values)


def place(**columns):
    options = {"work": WORK, "now_ms": NOW_MS, "updated_ms": NOW_MS, "cooling_stress_score": 20}
    return joulie.place_nodes(**{**options, **columns})


class Columns(unittest.TestCase):
    def test_answers_come_as_arrays_of_their_types(self):
        found = place(headroom_score=floats(80, 20), capped_w=1000, measured_w=floats(200, 800))
        self.assertEqual({type(column) for column in found.values()}, {array.array})
        self.assertEqual((found["score"].typecode, found["raw"].typecode), ("i", "d"))
        self.assertEqual(len(found["raw"]), 2)
        self.assertGreater(found["score"][0], found["score"][1])
        self.assertEqual(list(found["code"]), [0, 0])

    def test_every_way_to_the_same_values_gives_the_same_answer(self):
        values = floats(80, 1, 20, 2, 50, 3)
        plain = place(headroom_score=floats(80, 20, 50), out=["raw"])["raw"]
        strided = memoryview(values)[::2]
        self.assertEqual(place(headroom_score=strided, out=["raw"])["raw"], plain)
        backwards = memoryview(floats(50, 20, 80))[::-1]
        self.assertEqual(place(headroom_score=backwards, out=["raw"])["raw"], plain)
        as_bytes = memoryview(bytes(floats(80, 20, 50))).cast("d")
        self.assertEqual(place(headroom_score=as_bytes, out=["raw"])["raw"], plain)
        one = [place(headroom_score=value, rows=1, out=["raw"])["raw"][0] for value in (80, 20, 50)]
        self.assertEqual(list(plain), one)

    def test_answers_may_not_overlap(self):
        room = floats(*[0.0] * 6)
        whole = memoryview(room)
        with self.assertRaisesRegex(ValueError, "marginal_w: .*overlap.* raw"):
            place(headroom_score=floats(1, 2, 3), out={"raw": whole[:3], "marginal_w": whole[2:5]})
        with self.assertRaisesRegex(ValueError, "raw: .*overlap.* headroom_score"):
            place(headroom_score=whole[:5], out={"raw": whole[1:]})
        place(headroom_score=whole[:6:2], out={"raw": whole[1:6:2]})  # between each other

    def test_answers_go_where_they_are_wanted(self):
        raw, score = floats(*[-1.0] * 6), array.array("i", [-1] * 3)
        headroom = floats(80, 20, 50)
        found = place(headroom_score=headroom, out={"raw": memoryview(raw)[::2], "score": score})
        self.assertIs(found["score"], score)
        self.assertEqual(set(found), {"raw", "score"})
        new = place(headroom_score=headroom)
        self.assertEqual(list(raw)[::2], list(new["raw"]))
        self.assertEqual(list(raw)[1::2], [-1.0] * 3)
        self.assertEqual(score, new["score"])

    def test_values_are_read_where_they_are(self):
        """An output over its input (same type and stride) is written in place: nothing is copied."""
        values = floats(80, 20, 50)
        expected = place(headroom_score=floats(80, 20, 50))["raw"]
        found = place(headroom_score=values, out={"raw": values})
        self.assertIs(found["raw"], values)
        self.assertEqual(values, expected)

    def test_nan_is_unknown_unless_the_caller_says_otherwise(self):
        nan = float("nan")
        found = place(headroom_score=floats(80, nan))
        self.assertEqual(list(found["code"]), [0, 0])
        refused = place(headroom_score=floats(80, nan), nan_is_unknown=False)
        self.assertEqual(list(refused["code"]), [0, joulie.abi.Code.E_RANGE])
        bits = joulie.PlaceHas.UPDATED | joulie.PlaceHas.COOLING
        has = array.array("Q", [bits | joulie.PlaceHas.HEADROOM, bits])
        for said in (True, False):
            by_hand = place(headroom_score=floats(80, nan), has=has, nan_is_unknown=said)
            self.assertEqual(found, by_hand)
        everywhere = place(headroom_score=floats(80, 20), trend_w_per_min=nan)
        self.assertEqual(everywhere, place(headroom_score=floats(80, 20)))

    def test_a_table_may_be_a_dict(self):
        columns = {"headroom_score": floats(80, 20)}
        options = {"work": WORK, "now_ms": NOW_MS, "updated_ms": NOW_MS, "cooling_stress_score": 20}
        self.assertEqual(joulie.place_nodes(columns, **options), place(**columns))
        with self.assertRaisesRegex(TypeError, "given twice: headroom_score"):
            joulie.place_nodes(columns, headroom_score=1, **options)

    def test_no_rows_are_an_answer_without_rows(self):
        self.assertEqual(len(place(headroom_score=floats())["raw"]), 0)
        self.assertEqual(len(place(rows=0)["raw"]), 0)


class Twin(unittest.TestCase):
    KNOWN = {"cpu_sockets": 2, "cpu_max_w": 350}

    def test_every_row_is_the_prediction_of_one_node(self):
        powers = floats(420, 70, 0, float("nan"), 900)
        found = joulie.predict_columns(measured_node_power_w=powers, **self.KNOWN)
        for row, power in enumerate(powers):
            known = power if power == power else None
            node = joulie.predict(measured_node_power_w=known, **self.KNOWN)
            for name, expected in node._asdict().items():
                value = found[name][row]
                self.assertEqual(None if value != value else value, expected, name)

    def test_what_is_unknown_is_nan_or_without_its_bit(self):
        found = joulie.predict_columns(rows=2)
        self.assertTrue(all(score != score for score in found["power_headroom_score"]))
        as_in_c = joulie.predict_columns(rows=2, nan_is_unknown=False)
        self.assertEqual(list(as_in_c["power_headroom_score"]), [0, 0])
        self.assertEqual(found["has"], as_in_c["has"])
        for mask in found["has"]:
            self.assertFalse(joulie.TwinOut(mask) & joulie.TwinOut.HEADROOM)
        alone = joulie.predict_columns(rows=1, out=["power_headroom_score"])
        self.assertEqual(list(alone), ["power_headroom_score"])
        self.assertNotEqual(alone["power_headroom_score"][0], alone["power_headroom_score"][0])

    def test_a_row_that_cannot_be_predicted_says_so(self):
        found = joulie.predict_columns(measured_node_power_w=floats(420, -1), **self.KNOWN)
        self.assertEqual(list(found["code"]), [0, joulie.abi.Code.E_RANGE])

    def test_choices_may_differ_by_row_or_not(self):
        feedback = array.array("i", [joulie.CapFeedback.APPLIED, joulie.CapFeedback.NOT_IN_FORCE])
        found = joulie.predict_columns(cpu_cap_pct=50, cpu_feedback=feedback, **self.KNOWN)
        self.assertEqual(list(found["cpu_capped_w"]), [350, 700])
        same = joulie.predict_columns(
            rows=2, cpu_cap_pct=50, cpu_feedback=joulie.CapFeedback.NOT_IN_FORCE, **self.KNOWN
        )
        self.assertEqual(list(same["cpu_capped_w"]), [700, 700])

    def test_a_cooling_model_of_ones_own(self):
        found = joulie.predict_columns(
            measured_node_power_w=floats(100, 200),
            cooling=lambda power, _: power / 10,
            **self.KNOWN,
        )
        self.assertEqual(list(found["cooling_stress_score"]), [10, 20])
        with self.assertRaises(ZeroDivisionError):
            joulie.predict_columns(
                measured_node_power_w=floats(100), cooling=lambda power, _: power / 0, **self.KNOWN
            )
        with self.assertRaises(joulie.RequiredError):
            joulie.predict_columns(rows=1, cooling_model=joulie.Cooling.CUSTOM)


class Refused(unittest.TestCase):
    """What cannot be used as it is is refused, and not copied."""

    def refused(self, kind, text, **columns):
        with self.assertRaisesRegex(kind, text):
            place(**columns)

    def test_values_of_another_type(self):
        self.refused(
            TypeError, "headroom_score: .*'f'.*float64", headroom_score=array.array("f", [1])
        )
        self.refused(
            TypeError, "headroom_score: .*'q'.*float64", headroom_score=array.array("q", [1])
        )
        self.refused(TypeError, "updated_ms: .*'d'.*int64", updated_ms=floats(1))
        self.refused(TypeError, "has: .*'q'.*uint64", has=array.array("q", [1]))
        self.refused(TypeError, "headroom_score: list is no array", headroom_score=[1.0])
        self.refused(TypeError, "headroom_score: str is no array", headroom_score="80")

    def test_values_that_are_not_aligned(self):
        data = bytearray(33)
        crooked = memoryview(data)[1:33].cast("d")
        self.refused(
            ValueError, "headroom_score: the values are not aligned", headroom_score=crooked
        )

    def test_columns_of_different_lengths(self):
        self.refused(
            ValueError,
            "capped_w: 3 rows, where the others have 2",
            headroom_score=floats(1, 2),
            capped_w=floats(1, 2, 3),
        )
        self.refused(ValueError, "rows", headroom_score=1.0)
        self.refused(
            ValueError, "2 rows, where the others have 5", headroom_score=floats(1, 2), rows=5
        )

    def test_tables_of_more_dimensions(self):
        square = memoryview(bytes(32)).cast("d", [2, 2])
        self.refused(ValueError, "2 dimensions", headroom_score=square)

    def test_names_that_do_not_exist(self):
        self.refused(TypeError, "there is no column headroom", headroom=floats(1))
        self.refused(
            TypeError, "there is no output points", headroom_score=floats(1), out=["points"]
        )
        self.refused(TypeError, "a list of names", headroom_score=floats(1), out="raw")

    def test_outputs_that_cannot_be_written(self):
        self.refused(
            TypeError,
            "raw: memoryview is no writable array",
            headroom_score=floats(1),
            out={"raw": memoryview(bytes(8)).cast("d")},
        )
        self.refused(ValueError, "raw: 1 rows", headroom_score=floats(1, 2), out={"raw": floats(1)})
        self.refused(
            TypeError, "score: .*'d'.*int32", headroom_score=floats(1), out={"score": floats(1)}
        )

    def test_memory_is_free_again_after_an_error(self):
        values = floats(1, 2)
        self.refused(ValueError, "capped_w", headroom_score=values, capped_w=floats(1))
        values.append(3)  # a column in use could not grow
        place(headroom_score=values)
        values.append(4)

    def test_memory_stays_in_place_during_a_call(self):
        values, problems = floats(1, 2), []

        def grow(_power_w, _temp_c):
            try:
                values.append(3)
            except BufferError as problem:
                problems.append(problem)
            return 1.0

        joulie.predict_columns(
            measured_node_power_w=values, cpu_sockets=1, cpu_max_w=100, cooling=grow
        )
        self.assertEqual(len(problems), 2)

    def test_settings_and_numbers_are_checked(self):
        with self.assertRaisesRegex(TypeError, "no setting 'weight'"):
            joulie.place_nodes(work=WORK, now_ms=NOW_MS, rows=1, settings={"weight": 1})
        with self.assertRaises(joulie.RangeError) as caught:
            joulie.place_nodes(work=WORK, now_ms=NOW_MS, rows=1, settings={"headroom_weight": -1})
        self.assertEqual(caught.exception.where, "config.headroom_weight")
        with self.assertRaises(joulie.RangeError):
            joulie.place_nodes(work=joulie.Work(cpu_cores=-1), now_ms=NOW_MS, rows=1)


if __name__ == "__main__":
    unittest.main()
