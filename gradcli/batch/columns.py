"""The numbers of many sketches in one tensor each."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from gradcli.batch.sketches import Sketch


def tensors(sketches: Sequence[Sketch], names: Sequence[str], rows: int) -> tuple[Tensor, Tensor]:
    """The numbers of sketches with one key, as float64.

    Args:
        names: of the inputs, in the order wanted.
        rows: how many problems; those beyond the last sketch are like it.

    Returns:
        the inputs, (rows, names, elements), and the upstream gradients, (rows, elements), ones where none is given.
    """
    first = sketches[0]
    joined = b"".join([one.numbers for one in sketches]) + bytes(sketches[-1].numbers) * (rows - len(sketches))
    length = first.length or 1
    given = np.frombuffer(joined).reshape(rows, -1, length)
    upstream = given[:, -1] if first.graded else np.ones((rows, length))
    return torch.tensor(given[:, [first.names.index(name) for name in names]]), torch.tensor(upstream)
