"""Every elementwise row against the function it means, worked out element by element with mpmath or math."""

import math
import re

import mpmath as mp
import pytest
import torch

from gradcli.language import parse
from gradcli.numeric.backward import backward
from gradcli.numeric.differences import quotients
from gradcli.numeric.forward import evaluate
from gradcli.numeric.making import Like
from gradcli.numeric.operations import apply
from gradcli.ops.row import Kind
from gradcli.ops.table import all_rows, find


def sign(x):
    return (x > 0) - (x < 0)


def sigmoid(x):
    return 1 / (1 + math.exp(-x))


def softplus(x):
    return math.log1p(math.exp(x))


def normal(x):
    return 0.5 * math.erfc(-x / math.sqrt(2))


#: row → (call, the function of its operands)
ELEMENTWISE = {
    "add": ("x + other", lambda x, o: x + o),
    "sub": ("x - other", lambda x, o: x - o),
    "mul": ("x * other", lambda x, o: x * o),
    "div": ("x / other", lambda x, o: x / o),
    "pow": ("x ** other", lambda x, o: x**o),
    "neg": ("-x", lambda x: -x),
    "floordiv": ("x // other", lambda x, o: x // o),
    "remainder": ("x % other", lambda x, o: x % o),
    "fmod": ("fmod(x, other)", math.fmod),
    "abs": ("abs(x)", abs),
    "sign": ("sign(x)", sign),
    "floor": ("floor(x)", math.floor),
    "ceil": ("ceil(x)", math.ceil),
    "trunc": ("trunc(x)", math.trunc),
    "round": ("round(x)", round),
    "frac": ("frac(x)", lambda x: x - math.trunc(x)),
    "exp": ("exp(x)", math.exp),
    "exp2": ("exp2(x)", lambda x: 2**x),
    "expm1": ("expm1(x)", math.expm1),
    "log": ("log(x)", math.log),
    "log2": ("log2(x)", math.log2),
    "log10": ("log10(x)", math.log10),
    "log1p": ("log1p(x)", math.log1p),
    "sqrt": ("sqrt(x)", math.sqrt),
    "rsqrt": ("rsqrt(x)", lambda x: 1 / math.sqrt(x)),
    "cbrt": ("cbrt(x)", lambda x: x ** (1 / 3)),
    "square": ("square(x)", lambda x: x * x),
    "reciprocal": ("reciprocal(x)", lambda x: 1 / x),
    "hypot": ("hypot(x, other)", math.hypot),
    "logaddexp": ("logaddexp(x, other)", lambda x, o: math.log(math.exp(x) + math.exp(o))),
    "logaddexp2": ("logaddexp2(x, other)", lambda x, o: math.log2(2**x + 2**o)),
    "xlogy": ("xlogy(x, other)", lambda x, o: x * math.log(o)),
    "xlog1py": ("xlog1py(x, other)", lambda x, o: x * math.log1p(o)),
    "sin": ("sin(x)", math.sin),
    "cos": ("cos(x)", math.cos),
    "tan": ("tan(x)", math.tan),
    "asin": ("asin(x)", math.asin),
    "acos": ("acos(x)", math.acos),
    "atan": ("atan(x)", math.atan),
    "atan2": ("atan2(x, other)", math.atan2),
    "sinh": ("sinh(x)", math.sinh),
    "cosh": ("cosh(x)", math.cosh),
    "tanh": ("tanh(x)", math.tanh),
    "asinh": ("asinh(x)", math.asinh),
    "acosh": ("acosh(x)", math.acosh),
    "atanh": ("atanh(x)", math.atanh),
    "sinc": ("sinc(x)", mp.sincpi),
    "deg2rad": ("deg2rad(x)", math.radians),
    "rad2deg": ("rad2deg(x)", math.degrees),
    "erf": ("erf(x)", math.erf),
    "erfc": ("erfc(x)", math.erfc),
    "erfinv": ("erfinv(x)", mp.erfinv),
    "lgamma": ("lgamma(x)", math.lgamma),
    "digamma": ("digamma(x)", mp.digamma),
    "polygamma": ("polygamma(2, x)", lambda x: mp.polygamma(2, x)),
    "i0": ("i0(x)", lambda x: mp.besseli(0, x)),
    "i1": ("i1(x)", lambda x: mp.besseli(1, x)),
    "entr": ("entr(x)", lambda x: -x * math.log(x)),
    "ndtr": ("ndtr(x)", normal),
    "logit": ("logit(x)", lambda x: math.log(x / (1 - x))),
    "nan_to_num": ("nan_to_num(x)", lambda x: x),
    "sigmoid": ("sigmoid(x)", sigmoid),
    "logsigmoid": ("logsigmoid(x)", lambda x: math.log(sigmoid(x))),
    "softplus": ("softplus(x)", softplus),
    "relu": ("relu(x)", lambda x: max(x, 0)),
    "relu6": ("relu6(4*x)", lambda x: min(max(4 * x, 0), 6)),
    "leaky_relu": ("leaky_relu(x, 0.2)", lambda x: x if x > 0 else 0.2 * x),
    "elu": ("elu(x, alpha=2)", lambda x: x if x > 0 else 2 * math.expm1(x)),
    "selu": ("selu(x)", lambda x: 1.0507009873554805 * (x if x > 0 else 1.6732632423543772 * math.expm1(x))),
    "gelu": ("gelu(x)", lambda x: x * normal(x)),
    "silu": ("silu(x)", lambda x: x * sigmoid(x)),
    "mish": ("mish(x)", lambda x: x * math.tanh(softplus(x))),
    "softsign": ("softsign(x)", lambda x: x / (1 + abs(x))),
    "tanhshrink": ("tanhshrink(x)", lambda x: x - math.tanh(x)),
    "hardtanh": ("hardtanh(x, -0.5, 0.7)", lambda x: min(max(x, -0.5), 0.7)),
    "hardsigmoid": ("hardsigmoid(x)", lambda x: min(max(x / 6 + 0.5, 0), 1)),
    "maximum": ("maximum(x, other)", max),
    "minimum": ("minimum(x, other)", min),
    "clamp": ("clamp(x, max=other)", min),
    "where": ("where(x > 0.5, x, other)", lambda x, o: x if x > 0.5 else o),
    "masked_fill": ("masked_fill(x, x > 0.5, 7)", lambda x: 7 if x > 0.5 else x),
    "lerp": ("lerp(x, other, 0.25)", lambda x, o: x + 0.25 * (o - x)),
    "dropout": ("dropout(x)", lambda x: x),
    "power_slope": ("power_slope(x, other)", lambda x, o: o * x ** (o - 1)),
    "y_log": ("y_log(x, other)", lambda x, o: x * math.log(o)),
    "inverse_or_zero": ("inverse_or_zero(x)", lambda x: 1 / x),
    "i1_slope": ("i1_slope(x)", lambda x: mp.besseli(0, x) - mp.besseli(1, x) / x),
    "sinc_slope": ("sinc_slope(x)", lambda x: (mp.cospi(x) - mp.sincpi(x)) / x),
    "gelu_slope_none": ("gelu_slope_none(x)", lambda x: mp.diff(lambda t: t * mp.ncdf(t), x)),
    "gelu_slope_tanh": (
        "gelu_slope_tanh(x)",
        lambda x: mp.diff(lambda t: t * (1 + mp.tanh(mp.sqrt(2 / mp.pi) * (t + mp.mpf("0.044715") * t**3))) / 2, x),
    ),
}
ROWS = [row for row in all_rows() if row.kind is Kind.ELEMENTWISE]
_POSITIVE = ("y_log", "power_slope")


def draw(row, shape, seed):
    """Points of the row's sample domain, the first and the last intervals alike."""
    text = "(0.3, 3)" if row.name in _POSITIVE else row.sample
    intervals = [[float(end) for end in re.findall(r"[-\d.]+", part)] for part in text.split("|")]
    generator = torch.Generator().manual_seed(seed)
    drawn = torch.rand(shape, generator=generator, dtype=torch.float64)
    parts = [low + drawn * (high - low) for low, high in intervals]
    return torch.where(drawn < 0.5, parts[0], parts[-1])


def at_sample(row):
    call, function = ELEMENTWISE[row.name]
    inputs = {"x": draw(row, (2, 3), 1), "other": draw(row, (3,), 2)}
    names = [name for name in inputs if re.search(rf"\b{name}\b", call)]
    if row.internal:
        roles = [param.name for param in row.operands]
        value = apply(row.name, zip(roles, map(inputs.get, names), strict=True), (), Like(torch.float64, "cpu"))
        return None, value, function, inputs, names
    program = parse(call)
    forward = evaluate(program, inputs)
    return forward, forward.tensor(program.root.node), function, inputs, names


def test_every_elementwise_row_is_covered():
    assert {row.name for row in ROWS} == set(ELEMENTWISE)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_the_value_is_the_functions(row):
    _, value, function, inputs, names = at_sample(row)
    for i in range(2):
        for j in range(3):
            operands = [inputs[name][i, j].item() if name == "x" else inputs[name][j].item() for name in names]
            assert value[i, j].item() == pytest.approx(float(function(*operands)), rel=1e-12, abs=1e-13)


@pytest.mark.parametrize("row", [row for row in ROWS if not row.internal], ids=lambda row: row.name)
def test_the_gradient_is_the_difference_quotient(row):
    forward, value, _, inputs, names = at_sample(row)
    weights = torch.linspace(-1, 2, value.numel(), dtype=torch.float64).reshape(value.shape)
    (only,) = backward(forward, [(forward.program.root.node, weights)])
    assert set(only.gradients) == set(names)
    for name in names:
        found = quotients(forward, forward.program.root.node, weights, name)
        assert found.central.shape == inputs[name].shape
        torch.testing.assert_close(only.gradients[name], found.central, rtol=1e-7, atol=1e-8)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_synonyms_mean_the_row(row):
    assert all(find(synonym) is row for synonym in row.synonyms)


# ---- conventions ----


def value_of(text, **inputs):
    program = parse(text)
    given = {name: torch.tensor(value, dtype=torch.float64) for name, value in inputs.items()}
    return evaluate(program, given).tensor(program.root.node).tolist()


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0**x", [1, 0]),
        ("round(x + 0.5)", [0, 2]),
        ("sinc(0*x)", [1, 1]),
        ("xlogy(0*x, 0)", [0, 0]),
        ("-7 // (x + 2)", [-4, -3]),
        ("-7 % (x + 2)", [1, 2]),
        ("fmod(-7, x + 2)", [-1, -1]),
        ("clamp(x, 0.25, 0.75)", [0.25, 0.75]),
        ("clamp(x, min=0.5)", [0.5, 1]),
        ("2^3^2 + 0*x", [512, 512]),
        ("-x^2", [0, -1]),
        ("nan_to_num(x/0)", [0, 1.7976931348623157e308]),
        ("isnan(x/0)", [True, False]),
        ("isfinite(x/0)", [False, False]),
        ("logical_and(x > 0, x < 2)", [False, True]),
        ("logical_or(x > 0, x < 2)", [True, True]),
        ("logical_not(x > 0)", [True, False]),
        ("0 < x < 2", [False, True]),
        ("[x[0] == 0, x[1] != 1]", [1, 0]),
        ("(x >= 1) + (x <= 0)", [1, 1]),
        ("3*(x > 0) - 1", [-1, 2]),
        ("exp(x > 0)", [1, math.e]),
    ],
)
def test_conventions(text, value):
    assert value_of(text, x=[0, 1]) == value


@pytest.mark.parametrize("x", [1e-9, 1e-3, 0.1, 0.31, 0.33, 1.5, 40.25, -0.2])
def test_the_slope_of_sinc_keeps_its_digits(x):
    mp.mp.dps, before = 50, mp.mp.dps
    exact = (mp.cospi(mp.mpf(x)) - mp.sincpi(mp.mpf(x))) / mp.mpf(x)
    mp.mp.dps = before
    slope = apply("sinc_slope", [("x", torch.tensor(x, dtype=torch.float64))], (), Like(torch.float64, "cpu"))
    assert slope.item() == pytest.approx(float(exact), rel=1e-13)


def test_slopes_are_finite_where_a_plain_formula_is_not():
    zero, two = torch.zeros(1, dtype=torch.float64), torch.tensor([2.0], dtype=torch.float64)
    like = Like(torch.float64, "cpu")
    assert apply("power_slope", [("x", zero), ("exponent", zero)], (), like).item() == 0
    assert apply("power_slope", [("x", zero), ("exponent", two)], (), like).item() == 0
    assert apply("inverse_or_zero", [("x", zero)], (), like).item() == 0
    assert apply("sinc_slope", [("x", zero)], (), like).item() == 0
    assert apply("i1_slope", [("x", zero)], (), like).item() == 0.5
