"""Tensors made from nothing: constants of a program, and values for inputs."""

from gradcli.ops.row import Kind, Row

_MAKE = "Generators"


def _make(name: str, signature: str, doc: str, call: str) -> Row:
    return Row(name, signature, doc, call, Kind.CONSTANT, section=_MAKE)


# fmt: off
ROWS = (
    _make("ones", "shape: shape", "All 1", "calls.ones"),
    _make("zeros", "shape: shape", "All 0", "calls.zeros"),
    _make("full", "shape: ints, value: number", "All equal to value", "calls.full"),
    _make("eye", "n: int, m: int = None", "Identity matrix", "calls.eye"),
    _make("arange", "start: number, end: number = None, step: number = 1",
          "start, start + step, … up to end; one number counts from 0", "calls.arange"),
    _make("linspace", "start: number, end: number, steps: int", "Evenly spaced, both ends included",
          "calls.linspace"),
    _make("rand", "shape: shape, seed: int = 0", "Uniform in [0, 1), the same for the same seed", "calls.rand"),
    _make("randn", "shape: shape, seed: int = 0", "Standard normal, the same for the same seed", "calls.randn"),
    _make("empty", "shape: shape, pin_memory: bool = False", "Whatever the memory held", "calls.empty"),
)
# fmt: on
