"""Numpy arrays: which dtypes are numbers, and the reading of .npy without pickle."""

from __future__ import annotations

from collections.abc import Callable
from typing import IO, TYPE_CHECKING, Any

from gradcli.errors import GradcliError
from gradcli.language.limits import ELEMENTS

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, Any]

Fault = Callable[[str, str | None], GradcliError]

_REFUSED = {
    "O": ("holds Python objects", "save numbers: array.astype(float)"),
    "c": ("holds complex numbers", "gradients here are of real numbers: take array.real"),
    "U": ("holds text", "save numbers: array.astype(float)"),
    "S": ("holds text", "save numbers: array.astype(float)"),
    "T": ("holds text", "save numbers: array.astype(float)"),
    "V": ("holds records with several fields", "save one field: array['name']"),
    "M": ("holds dates", "save numbers of days or seconds"),
    "m": ("holds time spans", "save numbers of days or seconds"),
}


def checked(obj: Any, fault: Fault) -> Array:
    """A copy of an array-like in a native dtype that torch knows.

    Raises:
        GradcliError: made by ``fault``, for anything but real numbers, whole numbers and truth values.
    """
    import numpy as np

    try:
        array = np.asarray(obj)
    except Exception as error:  # whatever a foreign __array__ raises
        raise fault(f"it does not become an array: {error}", None) from error
    _check(array.dtype, array.shape, fault)
    return native(array)


def native(array: Array) -> Array:
    """A copy in row-major order, in this machine's byte order, of a dtype that torch knows."""
    import numpy as np

    kind, size = array.dtype.kind, array.dtype.itemsize
    too_wide = size > {"f": 8, "u": 1}.get(kind, 8)
    dtype = np.dtype("f8") if too_wide else array.dtype.newbyteorder("=")
    return np.array(array, dtype=dtype, order="C")


def read_npy(stream: IO[bytes], fault: Fault) -> Array:
    """The array in the .npy format at the start of ``stream``, which can seek.

    The header is checked before anything is read; pickled objects are never loaded.

    Raises:
        GradcliError: made by ``fault``, for anything else.
    """
    from numpy.lib import format as npy

    try:
        version = npy.read_magic(stream)
        header = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
        shape, _, dtype = header(stream)
    except Exception as error:  # numpy raises many kinds for a damaged header
        raise fault("is no .npy data", "write it with numpy.save") from error
    _check(dtype, shape, fault)
    stream.seek(0)
    try:
        return native(npy.read_array(stream, allow_pickle=False))
    except Exception as error:  # ValueError, EOFError, zlib.error, BadZipFile, …
        raise fault("is cut short or damaged", "write it again with numpy.save") from error


def _check(dtype: np.dtype[Any], shape: tuple[int, ...], fault: Fault) -> None:
    if dtype.kind in _REFUSED:
        raise fault(*_REFUSED[dtype.kind])
    count = 1
    for size in shape:
        count *= size
    if count > ELEMENTS:
        raise fault(f"has {count:,} elements, and the limit is {ELEMENTS:,}", None)
