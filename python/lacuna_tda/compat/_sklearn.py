"""What the classes here take of scikit-learn and of joblib, with one message where these are not installed."""

from __future__ import annotations

from .._extras import extra

for module, package in (("joblib", "joblib"), ("sklearn.base", "scikit-learn")):
    extra(module, package, "a transformer of lacuna_tda.compat")

from joblib import Parallel, delayed, effective_n_jobs
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.exceptions import DataDimensionalityWarning
from sklearn.utils.validation import check_array, check_is_fitted

from ..sklearn import OfCollections

__all__ = [
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
