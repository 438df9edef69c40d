#!/usr/bin/env python3
"""Batches in training: `lacuna_tda.torch` beside pytorch-topological, forward and backward.

    pip install ./python torch torch-topological
    python3 benches/peers/training.py [--inputs 256] [--side 256] [--points 100] [--peers 32] [--threads 2] [--runs 3] [--on-gpu]

Images are smooth noise of single precision, clouds are random points in space. The loss is the sum of the squares of the lengths of all
finite bars of dimensions 0 and 1. Losses and gradients of the first inputs are compared before anything is timed. pytorch-topological takes
inputs one by one, so it is timed on `--peers` of them, and times are given per input. GUDHI 3.13 refuses the tensors that it is handed by it,
so they are handed over as arrays, which is faster, too; `--as-it-is` leaves that away, for GUDHI 3.11. Times are minima, in turn. Exits 1
when answers differ.

With `--on-gpu`, the images lie on a GPU, and Lacuna is alone: its answers are compared with its own from the processor. How busy the GPU is, is
the sum of the times of its kernels and copies, by PyTorch's profiler, as a part of the mean time of a step.
"""

import argparse
import sys
import time
from types import SimpleNamespace

import numpy as np
import torch

import lacuna_tda.torch as topology

COMPARED = 4


def smooth_noise(count, side, generator):
    """Images (count, side, side) of variance 1: three boxes are nearly a Gaussian of standard deviation 2.4."""
    noise = torch.randn(count, 1, side + 12, side + 12, generator=generator)
    for _ in range(3):
        noise = torch.nn.functional.avg_pool2d(noise, 5, stride=1)
    return (noise / noise.std())[:, 0].contiguous()


def loss_of_peer(found, is_image):
    """Of images, the peer ends the essential bar of dimension 0, its last one, with the greatest value."""
    diagrams = ([of[0].diagram[:-1], of[1].diagram] if is_image else [one.diagram for one in of] for of in found)
    return sum((bars[:, 1] - bars[:, 0]).square().sum() for of in diagrams for bars in of)


def stepped(loss, inputs):
    """Seconds of the loss and of its gradient; both."""
    inputs.grad = None
    began = time.perf_counter()
    value = loss(inputs)
    middle = time.perf_counter()
    value.backward()
    return (middle - began, time.perf_counter() - middle), (value.item(), inputs.grad.clone())


def squares(bars):
    """The loss."""
    return sum(topology.total_persistence(bars, dim=dim, order=2).sum() for dim in (0, 1))


def on_gpu(images, threads, runs):
    """Prints the times of steps of images on a GPU, and how busy it is."""
    print("| images | on the processor: forward | backward | on the GPU: forward | backward | ratio | GPU busy |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    for name, images in images.items():
        answers, times = [], []
        for backend in ("cpu", "auto"):

            def loss(inputs, backend=backend):
                return squares(topology.cubical(inputs, batch=True, backend=backend, threads=threads))

            def step(inputs, loss=loss):
                seconds, answer = stepped(loss, inputs)
                torch.cuda.synchronize()
                return seconds, answer

            inputs = images.cuda().requires_grad_()
            answers.append(step(inputs)[1])
            times.append(np.min([step(inputs)[0] for _ in range(runs)], axis=0))
        if not all(torch.allclose(*both, rtol=1e-4) for both in zip(*[(torch.tensor(loss), gradient) for loss, gradient in answers])):
            print(f"{name}: losses {answers[0][0]} and {answers[1][0]}", file=sys.stderr)
            return 1
        began = time.perf_counter()
        for _ in range(runs):
            step(inputs)
        wall = (time.perf_counter() - began) / runs
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
            step(inputs)
        busy = sum(event.self_device_time_total for event in profile.key_averages()) / 1e6 / wall
        each = " | ".join(f"{1000 * seconds:.1f} ms" for pair in times for seconds in pair)
        print(f"| {name} | {each} | {sum(times[0]) / sum(times[1]):.1f} | {100 * busy:.0f} % |")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, default in {"inputs": 256, "side": 256, "points": 100, "peers": 32, "threads": 2, "runs": 3}.items():
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--as-it-is", action="store_true")
    parser.add_argument("--on-gpu", action="store_true")
    arguments = parser.parse_args()
    threads = arguments.threads
    torch.set_num_threads(threads)
    generator = torch.Generator().manual_seed(0)
    images = smooth_noise(arguments.inputs, arguments.side, generator)
    if arguments.on_gpu:
        noise = torch.rand(images.shape, generator=generator)
        return on_gpu({f"smooth, {arguments.inputs} of {arguments.side}²": images, "noise": noise}, threads, arguments.runs)
    import gudhi
    from torch_topological.nn import CubicalComplex, VietorisRipsComplex, cubical_complex

    if not arguments.as_it_is:

        def with_array(dimensions, top_dimensional_cells):
            return gudhi.CubicalComplex(dimensions=dimensions, top_dimensional_cells=top_dimensional_cells.detach().numpy())

        cubical_complex.gudhi = SimpleNamespace(CubicalComplex=with_array)
    batches = {
        f"images of {arguments.side}²": images,
        f"clouds of {arguments.points} points": torch.rand(arguments.inputs, arguments.points, 3, generator=generator),
    }
    print(f"| {arguments.inputs} inputs | Lacuna: forward | backward | pytorch-topological: forward | backward | ratio |")
    print("|---|---:|---:|---:|---:|---:|")
    for name, inputs in batches.items():
        is_image = name.startswith("images")
        peer = CubicalComplex(dim=2) if is_image else VietorisRipsComplex(dim=1, n_threads=threads)
        # The edges that giotto-ph names on two threads are not those of the bars in every run.
        steady = peer if is_image else VietorisRipsComplex(dim=1, n_threads=1)

        def ours(inputs, is_image=is_image):
            return squares(topology.cubical(inputs, batch=True, threads=threads) if is_image else topology.rips(inputs, threads=threads))

        def theirs(inputs, peer=peer, is_image=is_image):
            return loss_of_peer(peer(inputs), is_image)

        few = inputs[:COMPARED].clone().requires_grad_()
        (_, (loss, gradient)), (_, (peer_loss, peer_gradient)) = stepped(ours, few), stepped(lambda inputs, peer=steady: theirs(inputs, peer), few)
        if not (np.isclose(loss, peer_loss, rtol=1e-4) and torch.allclose(gradient, peer_gradient, rtol=1e-3, atol=1e-3)):
            print(f"{name}: losses {loss} and {peer_loss}, gradients differ by {(gradient - peer_gradient).abs().max()}", file=sys.stderr)
            return 1
        some = inputs[: arguments.peers].clone().requires_grad_()
        inputs = inputs.clone().requires_grad_()
        runs = [(stepped(ours, inputs)[0], stepped(theirs, some)[0]) for _ in range(arguments.runs)]
        (forward, backward), (peer_forward, peer_backward) = (np.min(times, axis=0) for times in zip(*runs))
        each = [forward / len(inputs), backward / len(inputs), peer_forward / len(some), peer_backward / len(some)]
        ratio = sum(each[2:]) / sum(each[:2])
        print(f"| {name} | {' | '.join(f'{1000 * seconds:.2f} ms' for seconds in each)} | {ratio:.0f} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
