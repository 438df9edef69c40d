"""Modules that take the places of others: the same names, arguments, defaults and shapes of answers, computed by Lacuna.

==================================  =====================================================================================
instead of                          import
==================================  =====================================================================================
``ripser``                          :mod:`lacuna_tda.compat.ripser`: ``ripser``, ``Rips``, ``lower_star_img``,
                                    ``correlation_to_distance``
``gph``                             :mod:`lacuna_tda.compat.gph`: ``ripser_parallel``
``gudhi.sklearn``                   :mod:`lacuna_tda.compat.gudhi`: ``RipsPersistence``, ``CubicalPersistence``
``gtda.homology``                   :mod:`lacuna_tda.compat.gtda`: ``VietorisRipsPersistence``, ``CubicalPersistence``
``cripser``                         :mod:`lacuna_tda.compat.cripser`: ``compute_ph``, ``computePH``, ``computePH_T``
==================================  =====================================================================================

Bars are those of the other library, in its precision; their order is the other's where values differ, and theirs alone to say among equal ones.
Cocycles, cycles and the places of ties are as good as the other's, not always the same. What the other accepts without a word and answers
wrongly, such as a modulus that is no prime, NaN, or an edge that is shorter than the births of its points, is a ``ValueError`` here.

SciPy is needed for distances and sparse matrices, scikit-learn by the classes and by metrics other than the Euclidean one: the extra
``sklearn`` has both.
"""
