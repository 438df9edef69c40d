"""`python3 -m unittest` in this folder: what is no cycle of a bar is found."""

import unittest

import numpy as np

from image_representatives import flaw

IMAGE = np.arange(8.0).reshape(2, 2, 2)
SQUARE = np.array([[0, 0, 1], [0, 1, 0], [0, 1, 2], [0, 2, 1]])
"""The edges around a face of the cube, whose vertices are the voxels 0 to 3."""

BOX = np.array([[1, 1, 0], [1, 1, 2], [1, 0, 1], [1, 2, 1], [0, 1, 1], [2, 1, 1]])
"""The faces of the cube."""


class Flaw(unittest.TestCase):
    def test_loops_and_shells(self):
        self.assertIsNone(flaw(IMAGE, {1: [(3, SQUARE)], 2: [(7, BOX)]}))

    def test_a_cell_less_or_of_another_dimension(self):
        self.assertIn("boundary", flaw(IMAGE, {1: [(3, SQUARE), (3, SQUARE[1:])], 2: []}))
        self.assertIn("boundary", flaw(IMAGE, {2: [(7, BOX[:5])]}))
        self.assertIn("dimension 2", flaw(IMAGE, {2: [(3, SQUARE)]}))
        self.assertIn("1:0", flaw(IMAGE, {1: [(3, SQUARE[:0])]}))

    def test_another_birth(self):
        self.assertIn("born", flaw(IMAGE, {1: [(2, SQUARE)]}))
        self.assertIn("2:1", flaw(IMAGE, {2: [(7, BOX), (6, BOX)]}))


if __name__ == "__main__":
    unittest.main()
