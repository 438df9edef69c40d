"""Points are moved so that their loop becomes as large as may be, by the gradient of its birth and death.

Random points of a disk begin with many short loops. Each step makes the longest bar of dimension 1 longer, and pulls points back that have left
the disk; in the end they lie around a hole.

    pip install ./python torch
    python optimise_points.py
"""

from __future__ import annotations

import argparse

import torch

import lacuna_tda.torch as topology


def longest(bars: torch.Tensor) -> torch.Tensor:
    """How long the longest bar lasts."""
    return (bars[:, 1] - bars[:, 0]).max()


def optimised(points: torch.Tensor, steps: int, rate: float = 0.02) -> torch.Tensor:
    """Points (n, 2) that were moved in so many steps, from where they are given."""
    points = points.clone().requires_grad_()
    optimiser = torch.optim.Adam([points], lr=rate)
    for _ in range(steps):
        optimiser.zero_grad()
        outside = (torch.linalg.vector_norm(points, dim=1) - 1).clamp(min=0)
        loss = (outside**2).sum() - longest(topology.rips(points)[1])
        loss.backward()
        optimiser.step()
    return points.detach()


def main(arguments: list[str] | None = None) -> tuple[float, float]:
    """Prints how long the longest bar lasts before and after, and returns both."""
    parser = argparse.ArgumentParser(description="Moves points so that their loop becomes large.")
    parser.add_argument("--points", type=int, default=60, help="points (%(default)s)")
    parser.add_argument("--steps", type=int, default=150, help="steps (%(default)s)")
    options = parser.parse_args(arguments)
    torch.manual_seed(0)
    angles, radii = 2 * torch.pi * torch.rand(options.points), torch.rand(options.points).sqrt()
    points = torch.stack([radii * angles.cos(), radii * angles.sin()], dim=1)
    moved = optimised(points, options.steps)
    before, after = (longest(topology.rips(of)[1]).item() for of in (points, moved))
    print(f"the longest bar of dimension 1 lasts {before:.3f}, after {options.steps} steps {after:.3f}")
    return before, after


if __name__ == "__main__":
    main()
