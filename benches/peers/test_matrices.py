"""`python3 -m unittest` in this folder: matrices are turned and read as they should be."""

import pathlib
import tempfile
import unittest

import numpy as np

import phat
from matrix_peers import Matrix, is_right, mirrored

# A triangle with its faces.
TRIANGLE = [7, 0, 0, 0, 0, 0, 0, 1, 2, 0, 1, 1, 2, 0, 2, 1, 2, 1, 2, 2, 3, 3, 4, 5]
PAIRS = np.array([[1, 3], [2, 4], [5, 6]])


def matrix(words, folder):
    path = pathlib.Path(folder) / "matrix.bin"
    np.array(words, dtype="<i8").tofile(path)
    return Matrix(path)


class Matrices(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.triangle = matrix(TRIANGLE, self.folder)

    def test_columns(self):
        self.assertEqual(self.triangle.dims, [0, 0, 0, 1, 1, 1, 2])
        self.assertEqual(self.triangle.columns, [[], [], [], [0, 1], [0, 2], [1, 2], [3, 4, 5]])

    def test_the_anti_transpose(self):
        self.assertEqual(self.triangle.anti_transpose(), [[], [0], [0], [0], [1, 2], [1, 3], [2, 3]])

    def test_pairs_of_the_anti_transpose(self):
        self.assertEqual(mirrored(np.array([[0, 1], [2, 4], [3, 5]]), 7).tolist(), [[5, 6], [2, 4], [1, 3]])

    def test_vertices(self):
        self.assertEqual(self.triangle.simplices()[3:], [[0, 1], [0, 2], [1, 2], [0, 1, 2]])
        square = matrix([9, *[0, 0] * 4, 1, 2, 0, 1, 1, 2, 1, 2, 1, 2, 2, 3, 1, 2, 0, 3, 2, 4, 4, 5, 6, 7], self.folder)
        self.assertIsNone(square.simplices())

    def test_pairs_in_another_order_and_other_pairs(self):
        self.assertTrue(is_right(self.triangle, PAIRS, PAIRS[::-1]))
        self.assertFalse(is_right(self.triangle, PAIRS, PAIRS[:2]))
        self.assertFalse(is_right(self.triangle, PAIRS, np.array([[1, 4], [2, 3], [5, 6]])))

    def test_bars_of_an_image(self):
        np.save(self.folder / "matrix.npy", np.array([0.5, 0.25, 0.75]))
        self.assertTrue(is_right(self.triangle, np.array([[1, 3], [2, 4], [0, 5]]), np.array([[0.25, 0.75]])))
        self.assertFalse(is_right(self.triangle, np.array([[1, 3], [2, 4], [0, 5]]), np.array([[0.5, 0.75]])))


class Phat(unittest.TestCase):
    def test_seconds_are_believed_when_they_have_digits(self):
        said = "Dualizing took 0.5000s\nComputing persistence pairs took {}s\nWriting output file took 0.1s"
        self.assertEqual(phat.reduction_seconds(said.format("0.0123")), 0.0123)
        self.assertIsNone(phat.reduction_seconds(said.format("0.1")))

    def test_every_way_once(self):
        self.assertEqual(len(set(phat.every(phat.COLUMNS))), 6 * 8 * 2)
        self.assertEqual(phat.every(phat.COLUMNS)[1].words(), ["--twist", "--bit_tree_pivot_column", "--dualize"])


if __name__ == "__main__":
    unittest.main()
