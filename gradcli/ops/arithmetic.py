"""Arithmetic, comparisons and the other operators that have signs of their own."""

from gradcli.ops.row import Kind, Row

_ARITHMETIC = "Arithmetic"
_COMPARISON = "Comparisons"


def _comparison(name: str, sign: str, doc: str, synonyms: tuple[str, ...]) -> Row:
    # A comparison has no slope, but what it decides may jump where its two sides meet.
    return Row(
        name, "x, other", doc, f"torch.{name}", Kind.CONSTANT,
        synonyms=synonyms, kinks=("x - other",), operator=sign, section=_COMPARISON,
    )  # fmt: skip


# fmt: off
ROWS = (
    Row("add", "x, other", "Sum of two tensors", "operator.add", slopes={"x": "1", "other": "1"},
        operator="+", section=_ARITHMETIC),
    Row("sub", "x, other", "Difference of two tensors", "operator.sub", synonyms=("subtract",),
        slopes={"x": "1", "other": "-1"}, operator="-", section=_ARITHMETIC),
    Row("mul", "x, other", "Product, element by element", "operator.mul", synonyms=("multiply",),
        slopes={"x": "other", "other": "x"}, operator="*", section=_ARITHMETIC),
    Row("div", "x, other", "Quotient, element by element", "operator.truediv",
        synonyms=("divide", "true_divide"), slopes={"x": "1/other", "other": "-x/other**2"},
        domain="other != 0", sample="(0.5, 2)", operator="/", section=_ARITHMETIC),
    Row("pow", "x, exponent", "Power; 0**0 is 1", "calls.power", synonyms=("power", "float_power"),
        slopes={"x": "power_slope(x, exponent)", "exponent": "y_log(y, x)"},
        domain="logical_or(x >= 0, exponent == floor(exponent))", sample="(0.5, 2)", operator="**",
        section=_ARITHMETIC),
    Row("neg", "x", "The opposite, -x", "torch.neg", synonyms=("negative",), slopes={"x": "-1"},
        operator="-", section=_ARITHMETIC),
    Row("floordiv", "x, other", "Quotient rounded down; flat, so its slope is 0", "calls.floor_divide",
        synonyms=("floor_divide",), slopes={"x": "0", "other": "0"}, kinks=("frac(x/other)",),
        domain="other != 0", sample="(0.55, 0.95)", operator="//", section=_ARITHMETIC),
    Row("remainder", "x, other", "Remainder with the sign of the divisor, x - other*floor(x/other)",
        "calls.remainder", synonyms=("mod",), slopes={"x": "1", "other": "-floordiv(x, other)"},
        kinks=("remainder(x, other)",), domain="other != 0", sample="(0.55, 0.95)", operator="%",
        section=_ARITHMETIC),
    Row("fmod", "x, other", "Remainder with the sign of x, x - other*trunc(x/other)", "torch.fmod",
        slopes={"x": "1", "other": "-trunc(x/other)"}, kinks=("fmod(x, other)",), domain="other != 0",
        sample="(0.55, 0.95)", section=_ARITHMETIC),
    _comparison("gt", ">", "1 where x > other", ("greater",)),
    _comparison("ge", ">=", "1 where x >= other", ("greater_equal",)),
    _comparison("lt", "<", "1 where x < other", ("less",)),
    _comparison("le", "<=", "1 where x <= other", ("less_equal",)),
    _comparison("eq", "==", "1 where x equals other", ("equal",)),
    _comparison("ne", "!=", "1 where x differs from other", ("not_equal",)),
    Row("logical_and", "x: mask, other: mask", "1 where both hold", "torch.logical_and", Kind.CONSTANT,
        section=_COMPARISON),
    Row("logical_or", "x: mask, other: mask", "1 where at least one holds", "torch.logical_or", Kind.CONSTANT,
        section=_COMPARISON),
    Row("logical_not", "x: mask", "1 where the mask does not hold", "torch.logical_not", Kind.CONSTANT,
        section=_COMPARISON),
    # What slopes are written with.
    Row("power_slope", "x, exponent", "Slope of x**exponent in x, 0 where the exponent is 0",
        "calls.power_slope", slopes={"x": "(exponent - 1)*power_slope(x, exponent)/x",
                                      "exponent": "x**(exponent - 1)*(1 + exponent*log(x))"},
        sample="(0.5, 2)", internal=True, prints="exponent*x**(exponent - 1)"),
    Row("y_log", "x, other", "x*log(other), with 0*log(0) = 0", "torch.xlogy",
        slopes={"x": "log(other)", "other": "x/other"}, sample="(0.3, 3)", internal=True,
        prints="x*log(other)"),
)
# fmt: on
