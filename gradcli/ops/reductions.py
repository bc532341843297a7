"""Operations that fold an axis, and those that scan along one.

``dim`` left out means all axes, as in torch; the softmax family and the scans,
for which torch demands one, then take the last.
"""

from gradcli.ops.row import Kind, Row

_REDUCTION = "Sums, means and norms"
_SOFTMAX = "The softmax family"
_EXTREME = "Largest, smallest, middle"
_SCAN = "Scans"
_DIM = "x, dim: ints = None, keepdim: bool = False"
_ONE_DIM = "x, dim: int = None, keepdim: bool = False"
_VAR = "x, dim: ints = None, unbiased: bool = True, keepdim: bool = False, correction: number = None"
_O = Kind.OPAQUE

# fmt: off
ROWS = (
    Row("sum", _DIM, "Sum", "calls.sum", _O, section=_REDUCTION),
    Row("mean", _DIM, "Mean", "calls.mean", _O, section=_REDUCTION),
    Row("var", _VAR, "Variance; divides by N - 1, or by N with unbiased=False", "calls.var", _O,
        section=_REDUCTION),
    Row("std", _VAR, "Standard deviation; divides by N - 1, or by N with unbiased=False", "calls.std", _O,
        kinks=("y",), section=_REDUCTION),
    Row("norm", "x, p: number = 2, dim: ints = None, keepdim: bool = False",
        "Norm of order p over all elements or along dim; torch's slope at 0 is 0", "torch.linalg.vector_norm", _O,
        synonyms=("vector_norm",), kinks=("y",), section=_REDUCTION),
    Row("matrix_norm", "x, p: number = None, keepdim: bool = False",
        "Norm of each matrix: its elements' (p=None), or the largest column (p=1) or row (p=inf) sum of sizes",
        "calls.matrix_norm", Kind.COMPOSITE, expansion="calls.matrix_norm", section=_REDUCTION),
    Row("linalg_norm", "x, p: number = None, dim: ints = None, keepdim: bool = False",
        "torch.linalg.norm: matrix_norm of a matrix when p is given, else norm",
        "torch.linalg.norm", Kind.COMPOSITE, expansion="calls.linalg_norm", section=_REDUCTION),
    Row("prod", "x, dim: int = None, keepdim: bool = False", "Product", "calls.prod", _O, section=_REDUCTION),
    Row("softmax", "x, dim: int = -1", "exp(x)/sum(exp(x)) along dim, without overflow", "torch.softmax", _O,
        section=_SOFTMAX),
    Row("softmin", "x, dim: int = -1", "softmax(-x)", "torch.nn.functional.softmin", Kind.COMPOSITE,
        expansion="softmax(-x, {dim})", section=_SOFTMAX),
    Row("log_softmax", "x, dim: int = -1", "log(softmax(x)), without overflow", "torch.log_softmax", _O,
        section=_SOFTMAX),
    Row("logsumexp", _DIM, "log(sum(exp(x))), without overflow", "calls.logsumexp", _O, section=_SOFTMAX),
    Row("amax", _DIM, "Largest; equal ones share the slope", "calls.amax", _O, section=_EXTREME),
    Row("amin", _DIM, "Smallest; equal ones share the slope", "calls.amin", _O, section=_EXTREME),
    Row("max", _ONE_DIM, "Largest; of equal ones all share the slope, along a dim one takes it all", "calls.max",
        _O, overload="maximum", section=_EXTREME),
    Row("min", _ONE_DIM, "Smallest; of equal ones all share the slope, along a dim one takes it all", "calls.min",
        _O, overload="minimum", section=_EXTREME),
    Row("median", _ONE_DIM, "Middle value, the lower of two", "calls.median", _O, section=_EXTREME),
    Row("argmax", _ONE_DIM, "Place of the largest", "torch.argmax", Kind.CONSTANT, section=_EXTREME),
    Row("argmin", _ONE_DIM, "Place of the smallest", "torch.argmin", Kind.CONSTANT, section=_EXTREME),
    Row("cumsum", "x, dim: int = -1", "Running sum", "torch.cumsum", _O, section=_SCAN),
    Row("cumprod", "x, dim: int = -1", "Running product", "torch.cumprod", _O, section=_SCAN),
    Row("logcumsumexp", "x, dim: int = -1", "log of the running sum of exp(x)", "torch.logcumsumexp", _O,
        section=_SCAN),
    Row("cummax", "x, dim: int = -1", "Running maximum", "calls.cummax", _O, section=_SCAN),
    Row("cummin", "x, dim: int = -1", "Running minimum", "calls.cummin", _O, section=_SCAN),
    Row("diff", "x, n: int = 1, dim: int = -1", "Differences of neighbours", "torch.diff", Kind.COMPOSITE,
        expansion="calls.diff", section=_SCAN),
    # What local rules are written with.
    Row("argmedian", _ONE_DIM, "Place of the median", "calls.argmedian", Kind.CONSTANT, internal=True),
    Row("argcummax", "x, dim: int = -1", "Place of the running maximum", "calls.argcummax", Kind.CONSTANT,
        internal=True),
    Row("argcummin", "x, dim: int = -1", "Place of the running minimum", "calls.argcummin", Kind.CONSTANT,
        internal=True),
    Row("ties", "x, extreme, dim: ints = None", "How many elements of x equal the extreme they are folded into",
        "calls.ties", Kind.CONSTANT, internal=True),
    Row("inverse_or_zero", "x", "1/x, 0 where x is 0", "calls.inverse_or_zero", slopes={"x": "-y**2"},
        internal=True, prints="1/x"),
    Row("prod_others", "x, dim: int = None", "The product of the others, right where some are 0", "calls.prod_others",
        Kind.CONSTANT, internal=True),
    Row("cumprod_others", "x, dim: int = -1",
        "[…, n, p]: product of the first n + 1 without the p-th, right where some are 0", "calls.cumprod_others",
        Kind.CONSTANT, internal=True),
)
# fmt: on
