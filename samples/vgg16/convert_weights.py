# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Turn a Keras file of weights (HDF5) into a folder of .npy files.

Each layer with weights becomes LAYER.kernel.npy and LAYER.bias.npy, float32 in C order. Takes what
`save_weights` and `save` of Keras 1 and 2 write, and Keras 3 for a name that ends in .h5.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

import h5py
import numpy as np
from numpy.typing import NDArray


class WeightsError(Exception):
    """A file that is not of Keras's layout."""


def names(group: h5py.Group, attribute: str) -> list[str]:
    """A list of names that Keras keeps as an attribute."""
    if attribute not in group.attrs:
        raise WeightsError(f"'{group.name}' has no attribute {attribute}")
    return [np.bytes_(name).decode() for name in group.attrs[attribute]]


def read(path: Path) -> Iterator[tuple[str, NDArray[np.float32], NDArray[np.float32]]]:
    """Layers of a file.

    Yields:
        Name, kernel ([height, width, inputs, outputs] or [inputs, outputs]) and bias ([outputs]).

    Raises:
        WeightsError: The file lacks what Keras writes, or a layer has other arrays than these.
        OSError: The file is not HDF5, or is damaged.
    """
    with h5py.File(path) as file:
        model = file.get("model_weights", file)
        for layer in names(model, "layer_names"):
            if layer not in model:
                raise WeightsError(f"layer {layer} is listed but not there")
            arrays = [array(model[layer], name) for name in names(model[layer], "weight_names")]
            if not arrays:
                continue  # pooling has none
            shapes = [array.shape for array in arrays]
            if len(shapes) != 2 or len(shapes[0]) not in (2, 4) or shapes[1] != shapes[0][-1:]:
                raise WeightsError(f"layer {layer}: not a kernel and its bias: {shapes}")
            yield layer, arrays[0], arrays[1]


def array(group: h5py.Group, name: str) -> NDArray[np.float32]:
    """One array as float32, its values finite."""
    if not isinstance(group.get(name), h5py.Dataset):
        raise WeightsError(f"'{group.name}' lists {name}, which is not there")
    values = group[name][()]
    if values.dtype.kind != "f" or not np.isfinite(values).all():
        raise WeightsError(f"'{group.name}': {name} holds other than finite numbers")
    return np.ascontiguousarray(values, dtype="<f4")


def convert(source: Path, folder: Path) -> None:
    """Write the folder.

    Raises:
        WeightsError, OSError: As `read`.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for layer, kernel, bias in read(source):
        np.save(folder / f"{layer}.kernel.npy", kernel)
        np.save(folder / f"{layer}.bias.npy", bias)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("source", type=Path, help="HDF5 file")
    parser.add_argument("folder", type=Path, help="where to write the .npy files")
    given = parser.parse_args()
    try:
        convert(given.source, given.folder)
    except (WeightsError, OSError) as error:
        sys.exit(f"convert_weights: {given.source}: {error}")


if __name__ == "__main__":
    main()
