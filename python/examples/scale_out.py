"""Thousands of clouds and images, on the processes of joblib, Dask or Ray.

    pip install ./python joblib
    python scale_out.py --on joblib

`lacuna_tda.rips_many` alone uses all cores of a machine, in threads. These are for more than one machine, or for programs that run on one of
these anyway. Inputs and results are pickled. Work is sent in batches, so that sending it takes no time to speak of, and each process computes on
one thread, since there is a process a core.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

import lacuna_tda

Batch = NDArray[Any]
Work = Callable[[Batch], list[lacuna_tda.Diagram]]


def bars_of_clouds(clouds: Batch) -> list[lacuna_tda.Diagram]:
    """The barcodes of clouds (m, n, d)."""
    return lacuna_tda.rips_many(clouds, max_dim=1, threads=1)


def bars_of_images(images: Batch) -> list[lacuna_tda.Diagram]:
    """The barcodes of images (m, rows, columns)."""
    return [lacuna_tda.cubical(image, threads=1) for image in images]


def batches(inputs: Batch, size: int = 100) -> list[Batch]:
    """So many inputs at a time."""
    return [inputs[first : first + size] for first in range(0, len(inputs), size)]


def joined(found: Iterable[list[lacuna_tda.Diagram]]) -> list[lacuna_tda.Diagram]:
    """The diagrams of batches, one after the other."""
    return [diagram for batch in found for diagram in batch]


def on_joblib(work: Work, inputs: Batch, processes: int = 2) -> list[lacuna_tda.Diagram]:
    """Does work in processes of joblib."""
    import joblib

    return joined(joblib.Parallel(n_jobs=processes)(joblib.delayed(work)(batch) for batch in batches(inputs)))


def on_dask(work: Work, inputs: Batch, processes: int = 2) -> list[lacuna_tda.Diagram]:
    """Does work in the processes of a cluster of Dask, here one of this machine. `Client(address)` has those of another."""
    import dask.distributed

    with (
        dask.distributed.LocalCluster(
            n_workers=processes, threads_per_worker=1, processes=True, dashboard_address=None
        ) as cluster,
        dask.distributed.Client(cluster) as client,
    ):
        return joined(client.gather(client.map(work, batches(inputs))))


def on_ray(work: Work, inputs: Batch, processes: int = 2) -> list[lacuna_tda.Diagram]:
    """Does work in processes of Ray, here started on this machine. `ray.init(address=…)` has those of a cluster."""
    import ray

    ray.init(num_cpus=processes, include_dashboard=False, configure_logging=False)
    try:
        remote = ray.remote(work)
        return joined(ray.get([remote.remote(batch) for batch in batches(inputs)]))
    finally:
        ray.shutdown()


ON = {"joblib": on_joblib, "dask": on_dask, "ray": on_ray}
PACKAGES = {"joblib": "joblib", "dask": "'dask[distributed]'", "ray": "ray"}


def main(arguments: list[str] | None = None) -> None:
    """Computes the bars of clouds and of images, and says how many there are."""
    parser = argparse.ArgumentParser(description="Computes the bars of many clouds and images in several processes.")
    parser.add_argument("--on", choices=ON, default="joblib", help="what runs the processes (%(default)s)")
    parser.add_argument("--inputs", type=int, default=2000, help="clouds, and images (%(default)s)")
    parser.add_argument("--processes", type=int, default=2, help="processes (%(default)s)")
    options = parser.parse_args(arguments)
    rng = np.random.default_rng(0)
    clouds = rng.random((options.inputs, 50, 3))
    images = rng.integers(0, 256, (options.inputs, 32, 32), dtype=np.uint8)
    for what, work, inputs in (("clouds", bars_of_clouds, clouds), ("images", bars_of_images, images)):
        try:
            found = ON[options.on](work, inputs, options.processes)
        except ModuleNotFoundError:
            package = PACKAGES[options.on]
            parser.error(f"--on {options.on} needs {package}, which is not installed: pip install {package}")
        loops = sum(len(diagram.bars(1)) for diagram in found)
        print(f"{len(found)} {what} on {options.on}: {loops} bars of dimension 1")


if __name__ == "__main__":
    main()
