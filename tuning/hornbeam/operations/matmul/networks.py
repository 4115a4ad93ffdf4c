# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Matrix multiplications of convolutional networks, derived from their layers.

A convolution runs as matrix multiplications in each of three passes (forward, gradient of
its input, gradient of its filter), either over patches of the image (im2col) or, for 3 x 3
windows that move by one pixel, over Winograd-transformed tiles.

``hornbeam.operations.matmul.problem_sets`` writes the problem sets made of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from hornbeam.types import Problem

IMAGES = (1, 4)
"""Images in a batch: one, as in interactive use, and a few."""

# F(2x2, 3x3) and F(4x4, 3x3) compute tiles of 2 x 2 and 4 x 4 outputs from transformed tiles
# of 4 x 4 and 6 x 6; the gradient of a filter is computed from tiles of 2 x 2 and 3 x 3.
_DATA_TILES = (2, 4)
_FILTER_TILES = (2, 3)


@dataclass(frozen=True)
class Convolution:
    """A convolution of square images.

    Attributes:
        inputs, outputs: channels.
        window: side of the filter in pixels.
        stride: pixels between neighbouring windows.
        input_side: side of the image that it reads, padding included where the framework
            pads in a step of its own.
        output_side: side of the image that it writes.
    """

    inputs: int
    outputs: int
    window: int
    stride: int
    input_side: int
    output_side: int


@dataclass(frozen=True)
class Dense:
    """A fully connected layer."""

    inputs: int
    outputs: int


def same(inputs: int, outputs: int, window: int, side: int, stride: int = 1) -> Convolution:
    """A convolution whose output has the side of its input divided by the stride."""
    return Convolution(inputs, outputs, window, stride, side, -(-side // stride))


def im2col(layer: Convolution, images: int) -> Iterator[Problem]:
    """Problems of the three passes over patches: C has a row for each channel.

    The patches of the forward pass and of the filter's gradient lie around outputs, those
    of the input's gradient around inputs.
    """
    patch = layer.window**2
    outputs = images * layer.output_side**2
    inputs = images * layer.input_side**2
    yield _plain(layer.outputs, patch * layer.inputs, outputs)
    yield _plain(layer.inputs, patch * layer.outputs, inputs)
    yield _plain(layer.outputs, outputs, patch * layer.inputs)


def winograd(layer: Convolution, images: int) -> Iterator[Problem]:
    """Problems of the three passes over transformed tiles: one for each point of a tile."""
    if (layer.window, layer.stride) != (3, 1):
        return
    for tile in _DATA_TILES:
        tiles, points = _tiling(layer, tile, images)
        yield _plain(layer.outputs, layer.inputs, tiles, points)
        yield _plain(layer.inputs, layer.outputs, tiles, points)
    for tile in _FILTER_TILES:
        tiles, points = _tiling(layer, tile, images)
        yield _plain(layer.outputs, tiles, layer.inputs, points)


def dense(layer: Dense, images: int) -> Problem:
    """The problem of a fully connected layer's forward pass: C has a row for each image."""
    return _plain(images, layer.inputs, layer.outputs)


def vgg16() -> list[Convolution]:
    """VGG16: blocks of 3 x 3 convolutions, halving the image and doubling the channels."""
    layers = []
    inputs = 3
    for outputs, side, count in (
        (64, 224, 2),
        (128, 112, 2),
        (256, 56, 3),
        (512, 28, 3),
        (512, 14, 3),
    ):
        for _ in range(count):
            layers.append(same(inputs, outputs, 3, side))
            inputs = outputs
    return layers


def resnet50() -> list[Convolution]:
    """ResNet50, with the stride of a stage in the 3 x 3 convolution of its last block.

    The first convolution reads the image padded by three pixels on each side.
    """
    layers = [Convolution(3, 64, 7, 2, 224 + 6, 112)]
    inputs, side = 64, 56
    for narrow, blocks, last_stride in ((64, 3, 2), (128, 4, 2), (256, 6, 2), (512, 3, 1)):
        wide = 4 * narrow
        layers.append(same(inputs, wide, 1, side))
        for block in range(blocks):
            stride = last_stride if block == blocks - 1 else 1
            layers.append(same(inputs, narrow, 1, side))
            layers.append(same(narrow, narrow, 3, side, stride))
            side //= stride
            layers.append(same(narrow, wide, 1, side))
            inputs = wide
    return layers


def mobilenet() -> list[Convolution]:
    """MobileNet: its first convolution and the pointwise ones between depthwise steps."""
    layers = [Convolution(3, 32, 3, 2, 224, 111)]
    inputs = 32
    for outputs, side, count in (
        (64, 112, 1),
        (128, 56, 2),
        (256, 28, 2),
        (512, 14, 6),
        (1024, 7, 2),
    ):
        for _ in range(count):
            layers.append(same(inputs, outputs, 1, side))
            inputs = outputs
    return layers


NETWORKS = {"vgg16": vgg16, "resnet50": resnet50, "mobilenet": mobilenet}
"""Name -> its convolutions, in order."""

DENSE_LAYERS = (
    Dense(4096, 4096),
    Dense(4096, 1000),
    Dense(2048, 1000),
    Dense(1024, 1000),
)
"""Last layers of VGG16 (its second and third), ResNet50 and MobileNet."""


def network_problems(name: str) -> list[Problem]:
    """Distinct problems of a network's convolutions, for every number of images."""
    return sorted(
        {
            problem
            for layer in NETWORKS[name]()
            for images in IMAGES
            for problem in (*im2col(layer, images), *winograd(layer, images))
        }
    )


def _plain(m: int, k: int, n: int, batch: int = 1) -> Problem:
    return (m, k, n, batch, 0, 0)


def _tiling(layer: Convolution, tile: int, images: int) -> tuple[int, int]:
    """Tiles of all images, and points of a transformed tile of a 3 x 3 window."""
    return images * (-(-layer.output_side // tile)) ** 2, (tile + layer.window - 1) ** 2
