"""A value: what was given, ready to become a tensor of any dtype on any device."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from gradcli.errors import GradcliError, Source, Span

if TYPE_CHECKING:
    import numpy as np
    from torch import Tensor

    from gradcli.notes import Note

Shape = tuple[int, ...]


class Content(Protocol):
    """What a value holds.  ``shape`` is None where only torch will know it."""

    @property
    def shape(self) -> Shape | None: ...

    def load(self, device: str) -> Tensor:
        """A tensor of its own dtype, on any device; whole numbers and masks are left as they are."""
        ...


@dataclass(frozen=True, eq=False)
class Value:
    """A value for a leaf or an upstream gradient.

    Attributes:
        title: the words that name it in errors ('-i a').
        content: what it holds.
        text: as the user wrote it; empty for Python objects.
        notes: what a reader should know, without a name: a leaf's or an upstream gradient's.
    """

    title: str
    content: Content
    text: str = ""
    notes: tuple[Note, ...] = ()

    @property
    def shape(self) -> Shape | None:
        """The shape where it is known without torch, else None."""
        return self.content.shape

    def tensor(self, dtype: str | None = None, device: str = "cpu") -> Tensor:
        """The value as a tensor.

        Args:
            dtype: a floating dtype for all but masks; None keeps the dtype of files and tensors, and gives
                float64 to everything else (float32 on a device that has no float64).
            device: a torch device string that is present.

        Returns:
            A tensor of its own, floating or a mask (torch.bool), that requires no gradient.

        Raises:
            GradcliError: it cannot be read or evaluated, or it is neither real numbers nor a mask.
        """
        import torch

        from gradcli.numeric.devices import FLOATS, check_dtype, default_dtype, resolve_dtype

        loaded = self.content.load(device)
        place = torch.device(device)
        if loaded.dtype == torch.bool:
            return loaded.to(place)
        name = str(loaded.dtype).removeprefix("torch.")
        if loaded.dtype.is_complex:
            raise self._fault("holds complex numbers", "gradients here are of real numbers: take x.real")
        if loaded.dtype.is_floating_point and name not in FLOATS:
            raise self._fault(f"has dtype {name}", f"convert it to one of {', '.join(FLOATS)}")
        if dtype is not None:
            wanted = resolve_dtype(dtype)
        elif isinstance(self.content, Numbers) or not loaded.dtype.is_floating_point:
            wanted = default_dtype(device)
        else:
            wanted = loaded.dtype
        check_dtype(place, wanted)
        return loaded.to(place, wanted)

    def _fault(self, what: str, hint: str) -> GradcliError:
        if not self.text:
            return GradcliError(f"{self.title} {what}", hint=hint)
        span = Span(0, len(self.text))
        return GradcliError(f"{self.text} {what}", span=span, hint=hint, source=Source(self.text, self.title))


@dataclass(frozen=True, eq=False)
class Numbers:
    """Numbers in row-major order: ``data`` of doubles, or of 0 and 1 for a mask."""

    shape: Shape
    data: array[Any]
    mask: bool = False

    def load(self, device: str) -> Tensor:
        import torch

        dtype = torch.int8 if self.mask else torch.float64
        # torch reads no empty buffers
        flat = torch.frombuffer(self.data, dtype=dtype).clone() if self.data else torch.empty(0, dtype=dtype)
        return (flat.bool() if self.mask else flat).reshape(self.shape)


@dataclass(frozen=True, eq=False)
class Array:
    """A numpy array of real numbers, whole numbers or truth values, of a native dtype."""

    values: np.ndarray[Any, Any]

    @property
    def shape(self) -> Shape:
        return tuple(self.values.shape)

    def load(self, device: str) -> Tensor:
        import torch

        return torch.from_numpy(self.values).clone()


@dataclass(frozen=True, eq=False)
class Torch:
    """A torch tensor, detached and copied."""

    values: Tensor

    @property
    def shape(self) -> Shape:
        return tuple(self.values.shape)

    def load(self, device: str) -> Tensor:
        return self.values.clone()
