# SPDX-License-Identifier: Apache-2.0
"""A new number of the twin is written in few files (docs/add-a-number.md)."""

import unittest

import twin_numbers

MOST = 8
MEMBERS = ("zone_total_power_w", "zone_temp_c", "cooling_design_it_w", "cluster_capacity_w", "previous_gpu_cap_pct")


class Numbers(unittest.TestCase):
    def test_a_number_is_spelled_in_few_files(self):
        for member in MEMBERS:
            with self.subTest(member):
                files = twin_numbers.files_of(member)
                self.assertLessEqual(len(files), MOST, files)
                self.assertIn("libjoulie/twin/numbers.h", files)

    def test_the_kernels_and_columns_name_no_number(self):
        named = twin_numbers.files_of("cluster_capacity_w")
        for file in ("columns.c", "kernel.h", "predict.c"):
            self.assertNotIn(f"libjoulie/twin/{file}", named)


if __name__ == "__main__":
    unittest.main()
