# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Selectors and classifiers with scikit-learn's interface, so that all are compared alike.

A classifier is fitted to the features of problems, float32[P, F], and to the uncut shares of the
N kernels, float64[P, N] without NaN; it predicts the index of a kernel, intp[P].
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import GroupKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.validation import check_is_fitted

from hornbeam.classifier import TrainingSet, TreeLimits, train
from hornbeam.normalise import Shares
from hornbeam.selection import select
from hornbeam.stats import geometric_mean
from hornbeam.tree import predict

Features = NDArray[np.float32]
Picks = NDArray[np.intp]

_FOLDS = 4
_DEPTHS = (3, 4, 6, 8)
_LEAVES = (2, 3, 5)


class KernelSelector(BaseEstimator):  # type: ignore[misc]
    """Chooses N columns of a matrix of shares; see `hornbeam.selection.select`.

    Attributes:
        columns_: the chosen ones, ascending.
        refilled_: how many of them the method did not propose itself.
    """

    def __init__(
        self,
        selection: str = "pca_kmeans",
        n_kernels: int = 8,
        normalisation: str = "scaled",
        random_state: int = 0,
    ) -> None:
        """Keep the parameters; they are checked when it is fitted."""
        self.selection = selection
        self.n_kernels = n_kernels
        self.normalisation = normalisation
        self.random_state = random_state

    def fit(self, features: Features, shares: Shares) -> KernelSelector:
        """Choose from uncut shares, float64[P, C]; NaN where not measured."""
        chosen = select(
            self.selection,
            shares,
            features,
            self.n_kernels,
            normalisation=self.normalisation,
            random_state=self.random_state,
            log_level=0,
        )
        self.columns_ = np.array(chosen.columns, dtype=np.intp)
        self.refilled_ = chosen.refilled
        self.n_features_in_ = features.shape[1]
        return self

    def score(self, features: Features, shares: Shares) -> float:
        """Return the ceiling: the geometric mean of the best chosen share."""
        check_is_fitted(self)
        return geometric_mean(shares[:, self.columns_].max(axis=1))


class _Picker(BaseEstimator):  # type: ignore[misc]
    def score(self, features: Features, shares: Shares) -> float:
        """Return the geometric mean of the share that the picked kernels reach."""
        picked = self.predict(features)
        return geometric_mean(shares[np.arange(len(shares)), picked])


class LabelClassifier(_Picker):
    """Any classifier of scikit-learn, trained on which kernel is the fastest.

    Labels come from uncut shares. A prediction is a label, never the place of one among the
    sorted labels that were seen: kernels that win nothing have none.
    """

    def __init__(self, estimator: BaseEstimator) -> None:
        """Keep the classifier, which is cloned when it is fitted."""
        self.estimator = estimator

    def fit(
        self, features: Features, shares: Shares, groups: NDArray[np.intp] | None = None
    ) -> LabelClassifier:
        """Train; ``groups`` are of no use here."""
        labels = shares.argmax(axis=1)
        self.only_ = int(labels[0]) if len(set(labels)) == 1 else None
        self.estimator_ = clone(self.estimator)
        if self.only_ is None:
            self.estimator_.fit(features, labels)
        self.n_features_in_ = features.shape[1]
        return self

    def predict(self, features: Features) -> Picks:
        """Return the index of the kernel picked for each problem."""
        check_is_fitted(self)
        if self.only_ is not None:
            return np.full(len(features), self.only_, dtype=np.intp)
        return np.asarray(self.estimator_.predict(features), dtype=np.intp)


class LossTree(_Picker):
    """The tree that builds use, trained on what a wrong pick costs; see `hornbeam.classifier`."""

    def __init__(
        self, max_depth: int = 6, min_samples_leaf: int = 3, random_state: int = 0
    ) -> None:
        """Keep the limits of the tree."""
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.random_state = random_state

    def fit(
        self, features: Features, shares: Shares, groups: NDArray[np.intp] | None = None
    ) -> LossTree:
        """Train; ``groups`` are of no use here."""
        self.names_ = tuple(f"x{index}" for index in range(features.shape[1]))
        limits = TreeLimits(self.max_depth, self.min_samples_leaf)
        self.nodes_ = train(TrainingSet(self.names_, features, shares), limits, self.random_state)
        self.n_features_in_ = features.shape[1]
        return self

    def predict(self, features: Features) -> Picks:
        """Return the index of the kernel picked for each problem."""
        check_is_fitted(self)
        return predict(self.nodes_, self.names_, np.asarray(features, dtype=np.float32))


class LossTreeCV(_Picker):
    """`LossTree` with the depth and the least leaf that do best on held-out groups."""

    def __init__(self, random_state: int = 0) -> None:
        """Keep the seed."""
        self.random_state = random_state

    def fit(
        self, features: Features, shares: Shares, groups: NDArray[np.intp] | None = None
    ) -> LossTreeCV:
        """Train; problems of a group are held out together, each is its own where None."""
        groups = np.arange(len(shares)) if groups is None else groups
        folds = list(GroupKFold(min(_FOLDS, len(set(groups)))).split(features, groups=groups))
        trees = [LossTree(depth, leaf, self.random_state) for depth in _DEPTHS for leaf in _LEAVES]
        scores = [
            sum(
                np.log(tree.fit(features[old], shares[old]).score(features[new], shares[new]))
                for old, new in folds
            )
            for tree in trees
        ]
        self.best_ = trees[int(np.argmax(scores))].fit(features, shares)
        self.n_features_in_ = features.shape[1]
        return self

    def predict(self, features: Features) -> Picks:
        """Return the index of the kernel picked for each problem."""
        check_is_fitted(self)
        return self.best_.predict(features)


def _on_logarithms(estimator: BaseEstimator) -> BaseEstimator:
    """Distances and dot products need features of one magnitude; sizes differ by millions."""
    return make_pipeline(FunctionTransformer(np.log1p), StandardScaler(), estimator)


def _neighbours(count: int) -> BaseEstimator:
    return LabelClassifier(_on_logarithms(KNeighborsClassifier(count)))


CLASSIFIERS: Mapping[str, Callable[[], BaseEstimator]] = MappingProxyType(
    {
        "ours": LossTree,
        "ours, cross-validated": LossTreeCV,
        "tree A": lambda: LabelClassifier(DecisionTreeClassifier(random_state=0)),
        "tree B": lambda: LabelClassifier(
            DecisionTreeClassifier(max_depth=6, min_samples_leaf=3, random_state=0)
        ),
        "tree C": lambda: LabelClassifier(
            DecisionTreeClassifier(max_depth=3, min_samples_leaf=4, random_state=0)
        ),
        "1-NN": lambda: _neighbours(1),
        "3-NN": lambda: _neighbours(3),
        "7-NN": lambda: _neighbours(7),
        "linear SVM": lambda: LabelClassifier(_on_logarithms(SVC(kernel="linear"))),
        "radial SVM": lambda: LabelClassifier(_on_logarithms(SVC(kernel="rbf"))),
        "random forest": lambda: LabelClassifier(RandomForestClassifier(random_state=0)),
        "MLP": lambda: LabelClassifier(_on_logarithms(MLPClassifier(max_iter=300, random_state=0))),
    }
)
"""Classifiers by name; the first is what builds use."""
