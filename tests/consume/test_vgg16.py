# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""samples/vgg16 built against an install tree, its results against numpy in float64."""

from __future__ import annotations

import json
import os
import runpy
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from numpy.lib.stride_tricks import sliding_window_view

from consumers import ROOT, Run
from hornbeam.operations.matmul.problem_sets import stored

h5py = pytest.importorskip("h5py", reason="h5py reads and writes Keras's weights")

SAMPLE = ROOT / "samples" / "vgg16"
FORM = {"size": 64, "channels": 4, "classes": 10}
"""A small network whose last images have 2 x 2 pixels, so that their order counts."""
BATCH = 2


@dataclass(frozen=True)
class Weights:
    """A network's weights as Keras stores them, and converted."""

    file: Path
    folder: Path


def options(**values: object) -> list[str]:
    return [word for name, value in values.items() for word in (f"--{name}", str(value))]


@pytest.fixture(scope="module")
def program(
    install: Callable[[bool], Path], run: Run, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    folder = tmp_path_factory.mktemp("vgg16")
    run(
        *("cmake", "-S", SAMPLE, "-B", folder, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release"),
        *(f"-DCMAKE_PREFIX_PATH={install(False)}", f"-DHORNBEAM_PYTHON={sys.executable}"),
        f"-DVGG16_ONEMKL_ROOT={sys.prefix}",
    )
    run("cmake", "--build", folder)
    return folder / "vgg16"


def make(run: Run, folder: Path, layout: str) -> Weights:
    weights = Weights(folder / f"{layout}.h5", folder / layout)
    run(sys.executable, SAMPLE / "make_weights.py", weights.file, *options(layout=layout, **FORM))
    run(sys.executable, SAMPLE / "convert_weights.py", weights.file, weights.folder)
    return weights


@pytest.fixture(scope="module")
def weights(run: Run, tmp_path_factory: pytest.TempPathFactory) -> Weights:
    return make(run, tmp_path_factory.mktemp("weights"), "keras")


def forward(images: np.ndarray, weights: Path) -> np.ndarray:
    """VGG16 in float64, convolutions as sums over windows.

    Args:
        images: [batch, height, width, 3]
        weights: File in the layout "keras".

    Returns:
        Probabilities, [batch, classes].
    """
    with h5py.File(weights) as file:
        arrays = {
            layer: [file[f"{layer}/{layer}/{name}:0"][()].astype(float) for name in names]
            for layer in file
            for names in [("kernel", "bias")]
        }
    values = images.astype(float)
    for block, convolutions in enumerate((2, 2, 3, 3, 3), start=1):
        for i in range(1, convolutions + 1):
            kernel, bias = arrays[f"block{block}_conv{i}"]
            padded = np.pad(values, ((0, 0), (1, 1), (1, 1), (0, 0)))
            windows = sliding_window_view(padded, (3, 3), axis=(1, 2))
            sums = np.einsum("byxcij,ijco->byxo", windows, kernel, optimize=True)
            values = np.maximum(sums + bias, 0)
        batch, height, width, channels = values.shape
        values = values.reshape(batch, height // 2, 2, width // 2, 2, channels).max(axis=(2, 4))
    values = values.reshape(len(values), -1)
    for layer in ("fc1", "fc2"):
        kernel, bias = arrays[layer]
        values = np.maximum(values @ kernel + bias, 0)
    kernel, bias = arrays["predictions"]
    exponentials = np.exp(values @ kernel + bias)
    return exponentials / exponentials.sum(axis=1, keepdims=True)


@pytest.fixture(scope="module")
def images() -> np.ndarray:
    rng = np.random.default_rng(2)
    return rng.standard_normal((BATCH, FORM["size"], FORM["size"], 3), dtype=np.float32)


@pytest.fixture(scope="module")
def ran(
    program: Path,
    weights: Weights,
    images: np.ndarray,
    run: Run,
    program_environment: dict[str, str],
    tmp_path_factory: pytest.TempPathFactory,
) -> Path:
    """Folder with the probabilities of each back-end and with times.json."""
    folder = tmp_path_factory.mktemp("ran")
    np.save(folder / "images.npy", images)
    given = options(
        weights=weights.folder,
        input=folder / "images.npy",
        output=folder,
        batch=BATCH,
        rounds=2,
        json=folder / "times.json",
        **FORM,
    )
    run(program, *given, env=program_environment)
    return folder


def test_probabilities_are_numpys(ran: Path, weights: Weights, images: np.ndarray) -> None:
    expected = forward(images, weights.file)
    assert np.ptp(expected, axis=1).min() > 0.01, "outputs that are all alike show nothing"
    outputs = {path.stem: np.load(path) for path in ran.glob("*.npy") if path.stem != "images"}
    assert {"hornbeam", "hornbeam-one"} <= set(outputs)
    for backend, output in outputs.items():
        np.testing.assert_allclose(output, expected, rtol=1e-4, atol=1e-6, err_msg=backend)


def test_times_hold_every_step_and_round(ran: Path) -> None:
    measured = json.loads((ran / "times.json").read_text(encoding="utf-8"))
    steps = measured["steps"]
    assert sum(step["operation"] == "matmul" for step in steps) == 16
    for backend in measured["backends"]:
        assert np.shape(backend["time_s"]) == (2, len(steps))


def test_problems_that_are_measured_hold_those_of_the_network() -> None:
    kernel_shapes = runpy.run_path(str(SAMPLE / "make_weights.py"))["kernel_shapes"]
    network = set()
    for layer, shape in kernel_shapes(size=224, channels=64, classes=1000):
        height = 224 // 2 ** (int(layer[5]) - 1) if layer.startswith("block") else 1
        network.add((height**2, int(np.prod(shape[:-1])), shape[-1], 1, 0, 0))
    assert len(network) == 12
    assert network <= set(stored())


def test_table_and_plot(ran: Path, run: Run) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib draws the plot")
    plot = ran / "times.svg"
    table = run(sys.executable, SAMPLE / "plot.py", ran / "times.json", "--plot", plot)
    assert "| total |" in table
    assert plot.read_text(encoding="utf-8").rstrip().endswith("</svg>")


def test_layouts_hold_the_same_weights(weights: Weights, run: Run, tmp_path: Path) -> None:
    old = make(run, tmp_path, "keras-1").folder
    names = sorted(path.name for path in weights.folder.iterdir())
    assert names == sorted(path.name for path in old.iterdir())
    for name in names:
        assert (old / name).read_bytes() == (weights.folder / name).read_bytes()


def refusal(*command: str | Path, env: dict[str, str] | None = None) -> tuple[int, str]:
    """Exit code and message of a command that must fail."""
    done = subprocess.run(
        [str(word) for word in command],
        env={**os.environ, **(env or {})},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Traceback" not in done.stderr
    return done.returncode, done.stderr


DAMAGES: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "empty": (lambda data: b"", "not a .npy file"),
    "other magic": (lambda data: b"?" + data[1:], "not a .npy file"),
    "other format": (lambda data: data[:6] + b"\2" + data[7:], "not a .npy file of format 1.0"),
    "cut header": (lambda data: data[:40], "ends within its header"),
    "other type": (lambda data: data.replace(b"<f4", b"<f8"), "holds {'descr': '<f8'"),
    "other order": (lambda data: data.replace(b"False", b"True "), "needed is {'descr': '<f4'"),
    "other shape": (lambda data: data.replace(b"(256, 10)", b"(10, 256)"), "'shape': (10, 256)"),
    "cut elements": (lambda data: data[:-4], "ends after 10236 of 10240 bytes"),
    "more elements": (lambda data: data + b"\0", "goes on after its elements"),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_weights_are_refused(
    damage: str,
    program: Path,
    weights: Weights,
    program_environment: dict[str, str],
    tmp_path: Path,
) -> None:
    change, message = DAMAGES[damage]
    for path in weights.folder.iterdir():
        (tmp_path / path.name).hardlink_to(path)
    name = "predictions.kernel.npy"
    (tmp_path / name).unlink()
    (tmp_path / name).write_bytes(change((weights.folder / name).read_bytes()))
    given = options(weights=tmp_path, **FORM)
    code, text = refusal(program, *given, env=program_environment)
    assert code == 1
    assert name in text
    assert message in text


def test_missing_weights_are_refused(
    program: Path, program_environment: dict[str, str], tmp_path: Path
) -> None:
    code, text = refusal(program, *options(weights=tmp_path, **FORM), env=program_environment)
    assert code == 1
    assert "block1_conv1.kernel.npy: cannot be read" in text


@pytest.mark.parametrize(
    "given", [[], ["--weights"], ["--weights", "x", "--rounds", "3"], ["--wat", "x"]]
)
def test_usage(given: list[str], program: Path) -> None:
    code, text = refusal(program, *given)
    assert code == 2
    assert text.startswith("usage: vgg16")


def remove_layer(file: h5py.File) -> None:
    del file["fc2"]


def remove_names(file: h5py.File) -> None:
    del file.attrs["layer_names"]


def remove_bias(file: h5py.File) -> None:
    del file["fc2/fc2/bias:0"]


def spoil_value(file: h5py.File) -> None:
    file["fc2/fc2/bias:0"][0] = np.nan


def shorten_bias(file: h5py.File) -> None:
    del file["fc2/fc2/bias:0"]
    file["fc2/fc2/bias:0"] = np.zeros(3, np.float32)


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (remove_layer, "layer fc2 is listed but not there"),
        (remove_names, "'/' has no attribute layer_names"),
        (remove_bias, "'/fc2' lists fc2/bias:0, which is not there"),
        (spoil_value, "fc2/bias:0 holds other than finite numbers"),
        (shorten_bias, "layer fc2: not a kernel and its bias"),
    ],
)
def test_files_that_keras_does_not_write_are_refused(
    damage: Callable[[h5py.File], None], message: str, weights: Weights, tmp_path: Path
) -> None:
    path = tmp_path / "damaged.h5"
    path.write_bytes(weights.file.read_bytes())
    with h5py.File(path, "r+") as file:
        damage(file)
    code, text = refusal(sys.executable, SAMPLE / "convert_weights.py", path, tmp_path / "out")
    assert code == 1
    assert f"{path}: " in text
    assert message in text


@pytest.mark.parametrize("size", [0, 100, 100_000])
def test_files_that_are_not_hdf5_are_refused(size: int, weights: Weights, tmp_path: Path) -> None:
    path = tmp_path / "cut.h5"
    path.write_bytes(weights.file.read_bytes()[:size])
    code, text = refusal(sys.executable, SAMPLE / "convert_weights.py", path, tmp_path / "out")
    assert code == 1
    assert str(path) in text
