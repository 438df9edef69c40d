"""Runs a module on an array: NAME INPUT OUT MAX_DIM THRESHOLD CONSTRUCTION MODULUS. Writes rows (dimension, birth, death); prints the version and seconds."""
import sys
import time

name, source, out, max_dim, threshold, construction, modulus = sys.argv[1:]
modules = {"giotto-ph": "gph", "gudhi": "gudhi", "cripser": "cripser"}
try:
    import numpy

    module = __import__(modules[name])
except ImportError as error:
    print(error, file=sys.stderr)
    sys.exit(77)

data = numpy.load(source)
max_dim, threshold, modulus = int(max_dim), float(threshold), int(modulus)
is_image = construction != "none"
if not is_image and not numpy.isfinite(data).all():
    # Pairs that are never connected are farther apart than the threshold.
    greatest = data[numpy.isfinite(data)].max()
    data = numpy.where(numpy.isfinite(data), data, 2 * greatest + 1)
    threshold = min(threshold, float(greatest))


def giotto_ph():
    from gph import ripser_parallel

    found = ripser_parallel(data, metric="precomputed", maxdim=max_dim, thresh=threshold, coeff=modulus)
    return dict(enumerate(found["dgms"]))


def gudhi_rips():
    from gudhi.sklearn import RipsPersistence

    rips = RipsPersistence(
        homology_dimensions=list(range(max_dim + 1)),
        threshold=threshold,
        input_type="full distance matrix",
        homology_coeff_field=modulus,
    )
    return dict(enumerate(rips.fit_transform([data])[0]))


def gudhi_cubical():
    cells = {"t": "top_dimensional_cells", "v": "vertices"}[construction]
    complex = module.CubicalComplex(**{cells: data})
    complex.compute_persistence(homology_coeff_field=2, min_persistence=0)
    return {k: complex.persistence_intervals_in_dimension(k) for k in range(max_dim + 1)}


def cripser():
    if construction == "v":
        return module.computePH(data, maxdim=max_dim)
    if hasattr(module, "computePH_T"):
        return module.computePH_T(data, maxdim=max_dim)
    import tcripser

    return tcripser.computePH(data, maxdim=max_dim)


run = {"giotto-ph": giotto_ph, "gudhi": gudhi_cubical if is_image else gudhi_rips, "cripser": cripser}[name]
start = time.perf_counter()
found = run()
seconds = time.perf_counter() - start
if isinstance(found, dict):
    rows = [(k, birth, death) for k, bars in found.items() for birth, death in bars if birth != death]
else:
    rows = [row[:3] for row in found if row[1] != row[2]]
rows = numpy.array(rows, dtype=float).reshape(-1, 3)
rows[rows[:, 2] == sys.float_info.max, 2] = numpy.inf
numpy.save(out, rows)
version = getattr(module, "__version__", None)
if version is None:
    from importlib.metadata import version as version_of

    version = version_of(name)
print(version, seconds)
