"""`python3 -m unittest` in this folder: bars of images are compared as they should be."""

import math
import unittest

import numpy as np

import image_cases
from images import difference, sorted_rows

ROWS = np.array([[0, 0.25, math.inf], [0, 0.5, 1.0], [0, 0.5, 0.75], [1, 0.5, 2.0]])


class Difference(unittest.TestCase):
    def test_the_same_rows_in_any_order(self):
        self.assertIsNone(difference(ROWS, ROWS[::-1]))
        self.assertIsNone(difference(np.zeros((0, 3)), np.zeros((0, 3))))

    def test_rows_are_ordered_by_dimension_then_birth_then_death(self):
        self.assertEqual(sorted_rows(ROWS)[:, 2].tolist(), [math.inf, 0.75, 1.0, 2.0])

    def test_another_value_in_any_column(self):
        for column in range(3):
            other = ROWS.copy()
            other[3, column] += 1e-12
            self.assertIn("row 4", difference(ROWS, other))

    def test_a_row_more_a_row_less_a_row_twice(self):
        self.assertEqual(difference(ROWS, ROWS[:3]), "4 rows, theirs 3")
        self.assertEqual(difference(ROWS[:3], ROWS), "3 rows, theirs 4")
        self.assertIn("row 2", difference(ROWS, ROWS[[0, 0, 1, 2]]))


class Cases(unittest.TestCase):
    def test_images_are_the_same_every_time(self):
        for name in ("u8 noise 40×30×50", "noise 48×1×64"):
            first, second = image_cases.MAKERS[name](), image_cases.MAKERS[name]()
            self.assertTrue((first == second).all())

    def test_both_constructions_of_every_image(self):
        self.assertEqual(len({case.name for case in image_cases.every()}), 2 * len(image_cases.MAKERS))


class Peers(unittest.TestCase):
    RING = np.array([[0, 1, 0], [2, 9, 3], [0, 4, 0]], dtype=float)

    def rows(self, name, construction):
        import image_peers

        peer = image_peers.PEERS[name]
        try:
            call = peer.load(construction, 1)
        except ImportError as error:
            self.skipTest(f"{name}: {error}")
        return peer.rows(call(self.RING))[:, :3]

    BARS = [[0, 0, math.inf], [0, 0, 1], [0, 0, 2], [0, 0, 3], [1, 4, 9]]
    """Four corners, joined by the sides in both constructions."""

    def test_what_cripser_says_of_a_ring(self):
        for construction in image_cases.CONSTRUCTIONS:
            self.assertIsNone(difference(self.rows("cripser", construction), self.BARS))

    def test_what_gudhi_says_of_a_ring(self):
        for construction in image_cases.CONSTRUCTIONS:
            self.assertIsNone(difference(self.rows("gudhi", construction), self.BARS))


if __name__ == "__main__":
    unittest.main()
