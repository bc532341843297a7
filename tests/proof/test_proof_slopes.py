"""Slopes of the table, and slopes of those slopes, against sympy's own derivatives of the textbook definitions."""

import itertools

import mpmath
import pytest
import sympy
import torch
from calls_of_rows import sampled
from statics import statics
from sympy import Max, Min, Piecewise, Rational, erf, exp, log, pi, sqrt, tanh

from gradcli.closed.elementwise import derivative, slope
from gradcli.closed.evaluate import Values, evaluate
from gradcli.closed.index import Var, var
from gradcli.closed.scalar import Elt, Fn
from gradcli.closed.terms import Term
from gradcli.numeric.making import Like
from gradcli.ops.row import Kind
from gradcli.ops.table import all_rows, find

POINTS = 6
#: relative
GOOD = 1e-12
#: torch's polygamma has no more than these digits
FEW = {"lgamma": 1e-8, "digamma": 1e-8, "polygamma": 1e-8}


def _gelu(x, approximate):
    if approximate == "none":
        return x * (1 + erf(x / sqrt(2))) / 2
    return x * (1 + tanh(sqrt(2 / pi) * (x + Rational(44715, 1000000) * x**3))) / 2


def _sinc(x):
    return sympy.sin(pi * x) / (pi * x)


def _sigmoid(x):
    return 1 / (1 + exp(-x))


def _softplus(x):
    return log(1 + exp(x))


# fmt: off
#: row → its definition, static parameters by keyword
DEFINITIONS = {
    "add": lambda x, y: x + y, "sub": lambda x, y: x - y, "mul": lambda x, y: x * y, "div": lambda x, y: x / y,
    "pow": lambda x, y: x**y, "neg": lambda x: -x, "abs": sympy.Abs, "square": lambda x: x**2,
    "exp": exp, "exp2": lambda x: 2**x, "expm1": lambda x: exp(x) - 1, "log": log, "log2": lambda x: log(x, 2),
    "log10": lambda x: log(x, 10), "log1p": lambda x: log(1 + x), "sqrt": sqrt, "rsqrt": lambda x: 1 / sqrt(x),
    "cbrt": lambda x: x ** Rational(1, 3), "reciprocal": lambda x: 1 / x, "hypot": lambda x, y: sqrt(x**2 + y**2),
    "logaddexp": lambda x, y: log(exp(x) + exp(y)), "logaddexp2": lambda x, y: log(2**x + 2**y, 2),
    "xlogy": lambda x, y: x * log(y), "xlog1py": lambda x, y: x * log(1 + y),
    "sin": sympy.sin, "cos": sympy.cos, "tan": sympy.tan, "asin": sympy.asin, "acos": sympy.acos, "atan": sympy.atan,
    "atan2": sympy.atan2, "sinh": sympy.sinh, "cosh": sympy.cosh, "tanh": tanh, "asinh": sympy.asinh,
    "acosh": sympy.acosh, "atanh": sympy.atanh, "sinc": _sinc, "deg2rad": lambda x: x * pi / 180,
    "rad2deg": lambda x: x * 180 / pi, "erf": erf, "erfc": sympy.erfc, "erfinv": sympy.erfinv,
    "lgamma": sympy.loggamma, "digamma": sympy.digamma, "polygamma": lambda x, n: sympy.polygamma(n, x),
    "i0": lambda x: sympy.besseli(0, x), "i1": lambda x: sympy.besseli(1, x), "entr": lambda x: -x * log(x),
    "ndtr": lambda x: (1 + erf(x / sqrt(2))) / 2, "logit": lambda x: log(x / (1 - x)),
    "sigmoid": _sigmoid, "logsigmoid": lambda x: -log(1 + exp(-x)), "softplus": _softplus,
    "relu": lambda x: Max(x, 0), "relu6": lambda x: Min(Max(x, 0), 6),
    "hardsigmoid": lambda x: Min(Max(x / 6 + Rational(1, 2), 0), 1),
    "leaky_relu": lambda x, negative_slope: Piecewise((x, x > 0), (negative_slope * x, True)),
    "elu": lambda x, alpha: Piecewise((x, x > 0), (alpha * (exp(x) - 1), True)),
    "selu": lambda x: sympy.Float("1.0507009873554804934193349852946") * Piecewise(
        (x, x > 0), (sympy.Float("1.6732632423543772848170429916717") * (exp(x) - 1), True)),
    "gelu": _gelu, "silu": lambda x: x * _sigmoid(x), "mish": lambda x: x * tanh(_softplus(x)),
    "softsign": lambda x: x / (1 + sympy.Abs(x)), "tanhshrink": lambda x: x - tanh(x),
    "hardtanh": lambda x, min_val, max_val: Min(Max(x, min_val), max_val),
    "maximum": Max, "minimum": Min, "clamp": lambda x, low, high: Min(Max(x, low), high),
    "lerp": lambda x, end, weight: x + weight * (end - x), "dropout": lambda x, p, training: x,
    "power_slope": lambda x, y: y * x ** (y - 1), "y_log": lambda x, y: x * log(y), "inverse_or_zero": lambda x: 1 / x,
    "i1_slope": lambda x: sympy.diff(sympy.besseli(1, x), x),
    "sinc_slope": lambda x: sympy.diff(_sinc(x), x), "gelu_slope_none": lambda x: sympy.diff(_gelu(x, "none"), x),
}
# fmt: on
#: rows of which sympy has no derivative: steps, choices by a mask, and what is flat or the identity by decree
BEYOND_SYMPY = set("floordiv remainder fmod sign floor ceil trunc round frac nan_to_num where masked_fill".split())
#: slopes whose own slope the table lacks, as no closed form asks for it
ONCE = {("gelu", "tanh")}
ELEMENTWISE = [row for row in all_rows() if row.kind is Kind.ELEMENTWISE and row.slopes]


def test_every_slope_is_held_to_sympy_or_named_here():
    assert {row.name for row in ELEMENTWISE} - BEYOND_SYMPY == set(DEFINITIONS)


def _values(expressions, numbers):
    """Scalar expressions over atoms x0, x1, … at points along one axis."""
    axis = Var("i", POINTS)
    values = Values(lambda name: numbers[int(str(name)[1:])], Like(torch.float64, torch.device("cpu")))
    return [evaluate([Term(one)], (axis,), values).tolist() for one in expressions]


def _away_from_jumps(expression):
    return expression.replace(sympy.DiracDelta, lambda *_: sympy.Integer(0))


@pytest.mark.parametrize("name", DEFINITIONS)
def test_slopes(name):
    row, place = find(name), (var(Var("i", POINTS)),)
    count = len(row.operands)
    draw = torch.Generator().manual_seed(1)
    numbers = [sampled(row, (POINTS,), draw) for _ in range(count)]
    symbols = sympy.symbols(f"x:{count}", real=True)
    atoms = tuple(Elt(f"x{k}", place) for k in range(count))
    choices = statics(row, [(POINTS,)] * count)
    for chosen in itertools.product(*choices.values()):
        attrs = dict(zip(choices, chosen, strict=True))
        exact = {k: sympy.Rational(str(v)) if isinstance(v, float) else v for k, v in attrs.items()}
        definition = DEFINITIONS[name](*symbols, **exact)
        node = Fn(name, atoms, tuple(attrs.items()))
        for k in range(count):
            first = slope(node, k)
            pairs = [(first, sympy.diff(definition, symbols[k]))]
            if (name, attrs.get("approximate")) not in ONCE:
                pairs += [
                    (derivative(first, atom), sympy.diff(definition, symbols[k], symbol))
                    for atom, symbol in zip(atoms, symbols, strict=True)
                ]
            ours = _values([one for one, _ in pairs], numbers)
            for found, (one, expression) in zip(ours, pairs, strict=True):
                theirs = sympy.lambdify(symbols, _away_from_jumps(expression), "mpmath")
                for at, value in enumerate(found):
                    with mpmath.workdps(30):
                        point = [mpmath.mpf(number[at].item()) for number in numbers]
                        right = float(theirs(*point))
                    label = f"{one} with {attrs} at {point}: {value} is not {right}"
                    assert abs(value - right) <= FEW.get(name, GOOD) * max(1, abs(right)), label
