# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Make random weights of VGG16 in an HDF5 file laid out as Keras's."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import h5py
import numpy as np
from numpy.typing import NDArray

BLOCKS = ((2, 1), (2, 2), (3, 4), (3, 8), (3, 8))
"""Convolutions of a block, and their channels relative to those of the first."""

DATASETS = {
    "keras": "{layer}/{layer}/{array}:0",
    "keras-1": "{layer}/{layer}_{initial}_1:0",
}
"""Layout -> path of an array. `keras-1` is that of the weights published for Keras 1."""


def kernel_shapes(size: int, channels: int, classes: int) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Layers with weights and the shapes of their kernels.

    Args:
        size: Height and width of the images, a multiple of 32.
        channels: Channels of the first layer.
        classes: Outputs of the last layer.

    Yields:
        Name, and (kernel height, kernel width, inputs, outputs) or (inputs, outputs).
    """
    inputs = 3
    for number, (convolutions, factor) in enumerate(BLOCKS, start=1):
        for i in range(1, convolutions + 1):
            yield f"block{number}_conv{i}", (3, 3, inputs, factor * channels)
            inputs = factor * channels
    inputs *= (size // 32) ** 2
    for layer, outputs in (
        ("fc1", 64 * channels),
        ("fc2", 64 * channels),
        ("predictions", classes),
    ):
        yield layer, (inputs, outputs)
        inputs = outputs


def random_kernel(rng: np.random.Generator, shape: tuple[int, ...]) -> NDArray[np.float32]:
    """Scaled after He, so that values neither grow nor fade from layer to layer; float32."""
    scale = np.float32(np.sqrt(2 / np.prod(shape[:-1])))
    return rng.standard_normal(shape, dtype=np.float32) * scale


def write(path: Path, size: int, channels: int, classes: int, layout: str, seed: int) -> None:
    """Write the file; equal arguments give equal weights."""
    rng = np.random.default_rng(seed)
    with h5py.File(path, "w") as file:
        shapes = dict(kernel_shapes(size, channels, classes))
        file.attrs["layer_names"] = [layer.encode() for layer in shapes]
        for layer, shape in shapes.items():
            arrays = {
                "kernel": random_kernel(rng, shape),
                "bias": 0.1 * rng.standard_normal(shape[-1], dtype=np.float32),
            }
            initials = {"kernel": "W", "bias": "b"}
            group = file.create_group(layer)
            names = []
            for array, values in arrays.items():
                name = DATASETS[layout].format(layer=layer, array=array, initial=initials[array])
                file.create_dataset(name, data=values)
                names.append(name.removeprefix(f"{layer}/").encode())
            group.attrs["weight_names"] = names


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path, help="HDF5 file to write")
    parser.add_argument("--size", type=int, default=224, help="height of the images")
    parser.add_argument("--channels", type=int, default=64, help="of the first layer")
    parser.add_argument("--classes", type=int, default=1000)
    parser.add_argument("--layout", choices=DATASETS, default="keras")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    write(given.file, given.size, given.channels, given.classes, given.layout, given.seed)


if __name__ == "__main__":
    main()
