"""Euler characteristic curves: what :func:`lacuna_tda.ecc` answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ._extras import extra

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes


class EulerCurve(NamedTuple):
    """An Euler characteristic curve: n rows, in the order in which cells enter."""

    values: NDArray[Any]
    """(n,): distinct values of voxels, ascending (of superlevel sets descending), or the ends of bins; integers where they are exact."""
    changes: NDArray[np.int64]
    """(n,): how the Euler characteristic changes there, the sum of (-1)**dim over the cells that enter."""

    def __repr__(self) -> str:
        ends = f" from {self.values[0]:.6g} to {self.values[-1]:.6g}" if len(self.values) else ""
        return f"<EulerCurve of {len(self.values)} values{ends}>"

    @property
    def euler(self) -> NDArray[np.int64]:
        """(n,): the Euler characteristic from each value on."""
        return np.cumsum(self.changes, dtype=np.int64)

    def to_frame(self) -> pandas.DataFrame:
        """The curve as a data frame of pandas with the columns ``value``, ``change`` and ``euler``.

        >>> EulerCurve(np.array([1, 9]), np.array([0, 1])).to_frame()
           value  change  euler
        0      1       0      0
        1      9       1      1
        """
        frame = extra("pandas", "pandas", "EulerCurve.to_frame").DataFrame
        table: pandas.DataFrame = frame({"value": self.values, "change": self.changes, "euler": self.euler})
        return table

    def plot(self, **options: Any) -> Axes:
        """The Euler characteristic at each value, as :func:`plot_euler` draws it, which has the options."""
        from ._plots import plot_euler

        return plot_euler(self, **options)
