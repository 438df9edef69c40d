"""The transformer of :mod:`lacuna_tda.compat.ripser`, apart from it because it is one of scikit-learn."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._extras import extra
from ._metric import Metric
from ._sklearn import BaseEstimator, TransformerMixin
from .ripser import ripser


class Rips(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """The barcode of one cloud or of distances, as a transformer.

    Parameters
    ----------
    maxdim, thresh, coeff, do_cocycles, n_perm
        As those of :func:`~lacuna_tda.compat.ripser.ripser`.
    verbose : bool
        Whether the parameters are printed when the transformer is made.

    Attributes
    ----------
    dgms_, cocycles_, num_edges_, dperm2all_, idx_perm_, r_cover_
        What ``ripser`` answered last, without the underscores; ``None`` before, ``r_cover_`` 0.

    Examples
    --------
    >>> import numpy as np
    >>> square = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    >>> [bars.shape for bars in Rips(verbose=False).fit_transform(square)]
    [(4, 2), (1, 2)]
    """

    def __init__(
        self,
        maxdim: int = 1,
        thresh: float = np.inf,
        coeff: int = 2,
        do_cocycles: bool = False,
        n_perm: int | None = None,
        verbose: bool = True,
    ) -> None:
        self.maxdim = maxdim
        self.thresh = thresh
        self.coeff = coeff
        self.do_cocycles = do_cocycles
        self.n_perm = n_perm
        self.verbose = verbose
        self.dgms_: list[NDArray[np.float64]] | None = None
        self.cocycles_: list[list[NDArray[np.int64]]] | None = None
        self.dperm2all_: Any = None
        self.metric_: Metric | None = None
        self.num_edges_: int | None = None
        self.idx_perm_: NDArray[np.int64] | None = None
        self.r_cover_ = 0.0
        if self.verbose:
            print(
                f"Rips(maxdim={maxdim}, thresh={thresh}, coeff={coeff}, do_cocycles={do_cocycles}, n_perm = {n_perm}, verbose={verbose})"
            )

    def fit(self, X: Any = None, y: Any = None) -> Rips:
        """Nothing is learned from data."""
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # The rows of an array are the points of one input, not inputs.
        tags.input_tags.two_d_array = False
        tags.requires_fit = False
        return tags

    def transform(
        self, X: Any, distance_matrix: bool = False, metric: Metric = "euclidean"
    ) -> list[NDArray[np.float64]]:
        """For each dimension the bars, (m, 2), of one cloud (n, d), or of distances (n, n) if `distance_matrix`."""
        result = ripser(
            X,
            maxdim=self.maxdim,
            thresh=self.thresh,
            coeff=self.coeff,
            do_cocycles=self.do_cocycles,
            distance_matrix=distance_matrix,
            metric=metric,
            n_perm=self.n_perm,
        )
        diagrams: list[NDArray[np.float64]] = result["dgms"]
        self.dgms_ = diagrams
        self.num_edges_ = result["num_edges"]
        self.dperm2all_ = result["dperm2all"]
        self.idx_perm_ = result["idx_perm"]
        self.cocycles_ = result["cocycles"]
        self.r_cover_ = result["r_cover"]
        return diagrams

    def fit_transform(
        self, X: Any, distance_matrix: bool = False, metric: Metric = "euclidean"
    ) -> list[NDArray[np.float64]]:
        """The answer of :meth:`transform`."""
        return self.transform(X, distance_matrix, metric)

    def plot(self, diagrams: Any = None, *args: Any, **kwargs: Any) -> None:
        """Draw diagrams, by default those of the last call, by persim's ``plot_diagrams``, which takes the other arguments."""
        extra("persim", "persim", "Rips.plot").plot_diagrams(self.dgms_ if diagrams is None else diagrams, *args, **kwargs)
