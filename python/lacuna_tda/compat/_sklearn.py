"""What the classes here take of scikit-learn and of joblib, with one message where these are not installed."""

from __future__ import annotations

from inspect import signature
from typing import Any

from .._extras import extra

for module, package in (("joblib", "joblib"), ("sklearn.base", "scikit-learn")):
    extra(module, package, "a transformer of lacuna_tda.compat")

from joblib import Parallel, delayed, effective_n_jobs
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.exceptions import DataDimensionalityWarning
from sklearn.utils.validation import check_array, check_is_fitted

__all__ = [
    "FINITE",
    "BaseEstimator",
    "DataDimensionalityWarning",
    "OfCollections",
    "Parallel",
    "TransformerMixin",
    "check_array",
    "check_is_fitted",
    "delayed",
    "effective_n_jobs",
]

FINITE = "ensure_all_finite" if "ensure_all_finite" in signature(check_array).parameters else "force_all_finite"
"""The option of `check_array` about infinities and NaN, which has another name before scikit-learn 1.6."""


class OfCollections(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """A transformer whose samples are not rows of a table."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.three_d_array = True
        tags.transformer_tags.preserves_dtype = []
        return tags
