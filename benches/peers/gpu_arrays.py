#!/usr/bin/env python3
"""Euler characteristic curves of arrays that lie on a GPU: calls of `lacuna_tda` beside the kernels that run in them.

    pip install ./python cupy-cuda12x torch
    python3 benches/peers/gpu_arrays.py [--side 1024] [--runs 9]

A call is given a CuPy array and returns the curve to the host. PyTorch's profiler (CUPTI) tells how long the device was busy in a call of
its own; the calls that are timed run without it. The curve of a part of each image is compared with the processor's first. Exits 1 when one differs.
"""

import argparse
import statistics
import sys
import time

import cupy
import numpy as np
import torch

import lacuna_tda


def images(side):
    """Names and arrays: noise, noise of few values, and a smooth image."""
    shape = (side, side, side)
    cupy.random.seed(0)
    noise = cupy.random.randint(0, 256, shape, dtype=cupy.uint8)
    yield "noise, u8", noise
    yield "noise of 16 values, u8", noise >> 4
    z, y, x = cupy.ogrid[:side, :side, :side]
    yield "smooth, u8", (((x + 2 * y) // 16 + (z + y) // 23) % 256).astype(cupy.uint8)


def busy(work):
    """Milliseconds in which the device computes for `work`, and what in."""
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
        work()
        torch.cuda.synchronize()
    names = {}
    for event in profile.events():
        if event.device_type == torch.autograd.DeviceType.CUDA:
            names[event.name] = names.get(event.name, 0) + event.device_time_total / 1e3
    kernels = {name: time for name, time in names.items() if not name.startswith(("Mem", "cuda"))}
    return sum(kernels.values()), names


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--side", type=int, default=1024, help="voxels along each axis")
    parser.add_argument("--runs", type=int, default=9)
    arguments = parser.parse_args()
    torch.zeros(1, device="cuda")
    print(f"{torch.cuda.get_device_name()}, {arguments.side}³ voxels, medians of {arguments.runs} calls after the first\n")
    print("| image | first call | call | kernels | call / kernels | voxels a second |\n|---|---|---|---|---|---|", flush=True)
    failed = False
    for name, image in images(arguments.side):
        part = image[: min(96, arguments.side), :130, :130].copy()
        on_gpu, on_cpu = lacuna_tda.ecc(part), lacuna_tda.ecc(part.get(), backend="cpu")
        if not all(np.array_equal(gpu, cpu) for gpu, cpu in zip(on_gpu, on_cpu, strict=True)):
            print(f"{name}: the curves differ", file=sys.stderr)
            failed = True
        times = []
        for _ in range(1 + arguments.runs):
            began = time.perf_counter()
            lacuna_tda.ecc(image)
            times.append(1e3 * (time.perf_counter() - began))
        call = statistics.median(times[1:])
        kernels, names = busy(lambda image=image: lacuna_tda.ecc(image))
        rate = image.size / call / 1e6
        print(f"| {name} | {times[0]:.1f} ms | {call:.2f} ms | {kernels:.2f} ms | {call / kernels:.2f} | {rate:.0f} G |")
        print("  " + ", ".join(f"{kernel} {took:.2f}" for kernel, took in names.items()), file=sys.stderr)
        sys.stdout.flush()
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
