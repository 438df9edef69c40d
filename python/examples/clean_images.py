"""Noise is removed from images of rings, by the gradient of the bars that it makes.

A ring is one component with one loop. Each step makes all other bars of all images shorter, and keeps the images near what they were.

    pip install ./python torch
    python clean_images.py
"""

from __future__ import annotations

import argparse

import torch

import lacuna_tda.torch as topology


def rings(count: int, side: int) -> torch.Tensor:
    """Images (count, side, side) of rings of several radii, brightness 1, with noise."""
    y, x = torch.meshgrid(torch.linspace(-1, 1, side), torch.linspace(-1, 1, side), indexing="ij")
    radii = torch.linspace(0.4, 0.7, count)[:, None, None]
    return torch.exp(-(((x**2 + y**2).sqrt() - radii) / 0.15) ** 2) + 0.1 * torch.randn(count, side, side)


def unwanted(images: torch.Tensor) -> torch.Tensor:
    """The sum of the squares of the lengths of all bars but a component, which never ends, and a loop of each image."""
    bars = topology.cubical(images, batch=True, superlevel=True)
    loops = torch.stack([(of[1][:, 0] - of[1][:, 1]).max() for of in bars])
    of_all = sum(topology.total_persistence(bars, dim=dim, order=2).sum() for dim in (0, 1))
    return of_all - loops.square().sum()


def cleaned(images: torch.Tensor, steps: int, rate: float = 0.02) -> torch.Tensor:
    """The images after so many steps."""
    given, images = images, images.clone().requires_grad_()
    optimiser = torch.optim.Adam([images], lr=rate)
    for _ in range(steps):
        optimiser.zero_grad()
        loss = unwanted(images) + 0.01 * (images - given).square().sum()
        loss.backward()
        optimiser.step()
    return images.detach()


def long_bars(images: torch.Tensor, least: float = 0.1) -> int:
    """The number of bars of all images that are longer than the least length; those that never end are."""
    bars = topology.cubical(images, batch=True, superlevel=True)
    return sum(int((dim[:, 0] - dim[:, 1] > least).sum()) for of in bars for dim in of)


def main(arguments: list[str] | None = None) -> tuple[int, int]:
    """Prints how many bars are long before and after, and returns both."""
    parser = argparse.ArgumentParser(description="Removes noise from images of rings.")
    parser.add_argument("--images", type=int, default=8, help="images (%(default)s)")
    parser.add_argument("--side", type=int, default=64, help="pixels along each axis (%(default)s)")
    parser.add_argument("--steps", type=int, default=60, help="steps (%(default)s)")
    options = parser.parse_args(arguments)
    torch.manual_seed(0)
    images = rings(options.images, options.side)
    before, after = (long_bars(of) for of in (images, cleaned(images, options.steps)))
    print(f"{options.images} images have {before} bars longer than 0.1, after {options.steps} steps {after}; a ring has 2")
    return before, after


if __name__ == "__main__":
    main()
