"""`python3 -m unittest` in this folder: the comparison finds every kind of difference."""

import math
import unittest

import numpy as np

from verify import difference

COMPONENTS = np.array([[0, 1.0], [0, math.inf]])
LOOPS = np.array([[1, 2.0], [1, 2], [0.5, 3]])


class Difference(unittest.TestCase):
    def assert_found(self, components, loops, dim):
        for pair in [([COMPONENTS, LOOPS], [components, loops]), ([components, loops], [COMPONENTS, LOOPS])]:
            self.assertIn(f"dimension {dim}", difference(*pair, 2) or "none")

    def test_the_same_bars_in_any_order(self):
        self.assertIsNone(difference([COMPONENTS, LOOPS], [COMPONENTS[::-1], LOOPS[::-1]], 2))

    def test_rounding_and_the_short_bars_it_makes(self):
        rounded = np.array([[1, 2.000001], [1.000001, 2], [0.5, 3], [0.7, 0.7000001]])
        self.assertIsNone(difference([COMPONENTS, LOOPS], [COMPONENTS, rounded], 2))

    def test_multiplicity(self):
        self.assert_found(COMPONENTS, LOOPS[1:], 1)

    def test_another_death(self):
        self.assert_found(COMPONENTS, np.array([[1, 2.1], [1, 2], [0.5, 3]]), 1)

    def test_essential_against_finite(self):
        self.assert_found(np.array([[0, 1.0], [0, 5]]), LOOPS, 0)

    def test_essential_against_none(self):
        self.assert_found(COMPONENTS[:1], LOOPS, 0)

    def test_a_dimension_that_is_missing(self):
        self.assertIn("dimension 1", difference([COMPONENTS, LOOPS], [COMPONENTS], 2))


if __name__ == "__main__":
    unittest.main()
