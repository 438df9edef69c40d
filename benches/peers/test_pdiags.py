"""`python3 -m unittest` in this folder: the images of pdiags.py, and what DIPHA says of bars."""

import pathlib
import tempfile
import unittest

import numpy as np

from pdiags import Bench, IMAGES, marschner_lobb, order_field, resampled


class Images(unittest.TestCase):
    def test_interpolation_from_end_to_end_and_in_the_middle(self):
        volume = np.arange(27.0).reshape(3, 3, 3) ** 2
        self.assertEqual(resampled(volume, (1, 1, 5)).ravel().tolist(), [144, 156.5, 169, 182.5, 196])
        self.assertEqual(resampled(volume[:2, :2, :2], (1, 1, 1)).ravel().tolist(), [volume[:2, :2, :2].mean()])
        self.assertEqual(resampled(volume, (3, 3, 3)).tolist(), volume.tolist())
        corners = resampled(volume, (9, 5, 4))[::8, ::4, ::3]
        self.assertEqual(corners.tolist(), volume[::2, ::2, ::2].tolist())

    def test_ranks_by_value_then_by_place(self):
        self.assertEqual(order_field(np.array([[[3, 1], [1, 2]]])).tolist(), [[3, 0], [1, 2]])

    def test_the_signal_is_rings_around_a_slope(self):
        signal = marschner_lobb(None, None)
        self.assertEqual(signal.shape, (41, 41, 41))
        self.assertTrue((np.diff(signal, axis=0) <= 0).all())
        self.assertEqual(signal.tolist(), signal.swapaxes(1, 2).tolist())
        # In the middle: 1 + 0.25 · (1 + cos 12π) over 2.5, of 255.
        self.assertEqual(signal[20, 20, 20], 153)

    def test_an_elevation_has_no_finite_bar(self):
        for shape in ((1, 1, 50), (1, 40, 40), (20, 20, 20)):
            order = order_field(resampled(IMAGES["elevation"](shape, None), shape))
            self.assertTrue(all((np.diff(order, axis=axis) > 0).all() for axis in range(order.ndim)))


class Dipha(unittest.TestCase):
    def test_essential_bars_die_at_infinity(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "image.diagram"
            with open(path, "wb") as file:
                np.array([8067171840, 2, 2], "<i8").tofile(file)
                for dim, *values in ((1, 0.5, 2), (-1, 0, 9)):
                    np.array([dim], "<i8").tofile(file)
                    np.array(values, "<f8").tofile(file)
            self.assertEqual(Bench.dipha_rows(path).tolist(), [[1, 0.5, 2], [0, 0, np.inf]])


if __name__ == "__main__":
    unittest.main()
