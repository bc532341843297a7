"""Faults in words: what is wrong, in which column, and what would work."""

from __future__ import annotations

import pytest

from gradcli.errors import GradcliError
from gradcli.language import parse, parse_value


def fault(text: str, *defined: str) -> GradcliError:
    with pytest.raises(GradcliError) as caught:
        parse(text, defined=frozenset(defined))
    assert caught.value.source is not None and caught.value.source.text == text
    return caught.value


# text: (column, part of the message, part of the hint)
FAULTS = {
    # no implicit multiplication: the hint is the fix
    "2x": (2, "an operator is missing between '2' and 'x'", "write 2*x"),
    "3*a + 2b": (8, "between '2' and 'b'", "2*b"),
    "a b": (3, "between 'a' and 'b'", "a*b"),
    "2 sin(x)": (3, "between '2' and 'sin(x)'", "2*sin(x)"),
    "x 2": (3, "between 'x' and '2'", "x*2"),
    "2(x+1)": (2, "between '2' and '(x+1)'", "2*(x+1)"),
    "x(1+x)": (2, "between 'x' and '(1+x)'", "x*(1+x)"),
    "(a)(b)": (4, "between '(a)' and '(b)'", "(a)*(b)"),
    "(a + b) c": (9, "between '(a + b)' and 'c'", "(a + b)*c"),
    "x[0](y)": (5, "between 'x[0]' and '(y)'", "x[0]*(y)"),
    "w = a*x; w(1 + x)": (11, "between 'w' and '(1 + x)'", "w*(1 + x)"),
    "pi(x)": (3, "between 'pi' and '(x)'", "pi*(x)"),
    "sin x": (5, "'sin' is a function and needs parentheses", "sin(x)"),
    "sin 2": (5, "'sin' is a function", "sin(2)"),
    "sin^2(x)": (6, "a power of a function is written behind", "sin(x)**2"),
    "sin²(x)": (4, "a power of a function is written behind", "sin(x)**2"),
    "tan^-1(x)": (7, "a power of a function is written behind", "atan(x) for the inverse function, 1/tan(x)"),
    "sin⁻¹(x)": (4, "a power of a function is written behind", "asin(x) for the inverse function, 1/sin(x)"),
    "x²(y)": (2, "between 'x**2' and '(...)'", "x**2*(...)"),
    "1 2": (3, "a comma or an operator is missing", "1, 2 in a list, or 1*2"),
    "0x1F": (1, "hexadecimal", "decimal"),
    "2j": (2, "complex numbers", "2*j"),
    # unknown names
    "sinn(x)": (1, "there is no function called sinn", "did you mean sin"),
    "lgo(x)": (1, "there is no function called lgo", "did you mean log?"),
    "exo(x)": (1, "there is no function called exo", "did you mean exp?"),
    "x + sotfmax(x)": (5, "there is no function called sotfmax", "did you mean softmax"),
    "torch.sigmiod(x)": (1, "there is no function called sigmiod", "did you mean sigmoid"),
    "foo(x)": (1, "there is no function called foo", "gradcli functions"),
    "nn.ReLU()(x)": (1, "there is no function called ReLU", "did you mean relu?"),
    "F.LayerNorm(x)": (1, "there is no function called LayerNorm", "did you mean layer_norm?"),
    "x.sumn()": (3, "'.sumn' is not part of the language", "did you mean sum"),
    "x.foo": (3, "'.foo' is not part of the language", "x.sum()"),
    "x.sum": (3, "'.sum' is a method and needs parentheses", "x.sum()"),
    "torch.exp": (1, "torch.exp is a function", "torch.exp(x)"),
    "x.exp_()": (3, "nothing is changed in place", "x.exp(...)"),
    # arguments
    "sin(x, y)": (8, "sin takes 1 argument and got 2", "usage: sin(x)"),
    "log(x, 2)": (8, "log takes 1 argument and got 2", "log(x)/log(2)"),
    "softmax()": (1, "softmax needs x", "usage: softmax(x, dim=-1)"),
    "x.pow()": (3, "pow needs exponent", "usage: pow(x, exponent)"),
    "sum(x, 1, dim=1)": (11, "sum is given dim twice", "usage"),
    "sum(x, dim=1, axis=1)": (15, "sum is given dim twice", "usage"),
    "sum(x, keepdmi=True)": (8, "sum has no argument called keepdmi", "did you mean keepdim?"),
    "sum(x, dim=d)": (12, "dim of sum is a whole number or a tuple of them, written out", "usage"),
    "sum(x, dim=1.5)": (12, "dim of sum is a whole number", "usage"),
    "sum(x, keepdim=1)": (16, "keepdim of sum is True or False", "usage"),
    "softmax(x, dim='a')": (16, "dim of softmax is a whole number", "usage"),
    "reshape(x, n, 2)": (12, "shape of reshape is whole numbers", "usage"),
    "mse_loss(a, b, reduction=sum)": (26, "reduction of mse_loss is a text in quotes", "usage"),
    "norm(x, p=1/0)": (13, "a division by 0", "inf"),
    "max(x, dim=0, keepdim=1)": (23, "keepdim of max is True or False", "usage: max("),
    "max(x, dim=d)": (12, "dim of max is a whole number", "usage: max("),
    "max(x, 0)": (8, "can mean the max along axis k, or maximum(x, k)", "max(x, dim=0) or maximum(x, 0)"),
    "max(x, dim=1)[0]": (14, "torch's max gives a pair", "(max(x, dim=1))[0]"),
    "x.sort()[1]": (9, "torch's sort gives a pair", "drop the index"),
    "stack()": (1, "stack needs tensors", "usage"),
    "stack([])": (1, "stack needs at least one tensor", "usage"),
    "f(*a)": (3, "unpacking with '*'", "one by one"),
    "sum(x, requires_grad=True)": (8, "every input is a leaf", "--wrt"),
    "ones(3, dtype=torch.float32)": (9, "the dtype is chosen beside", "--dtype"),
    # brackets and ends
    "": (1, "the program is empty", "x**2"),
    " \n # only words": (1, "the program is empty", "x**2"),
    "(a + b": (1, "'(' is never closed", "closing bracket"),
    "exp((a)*[b": (9, "'[' is never closed", "closing bracket"),
    "a + b)": (6, "')' closes nothing", "remove it"),
    "(a + b]": (7, "']' cannot close '('", "')'"),
    "a +": (3, "a value is missing after '+'", "after it"),
    "a +\nb": (3, "a value is missing after '+'", "in parentheses"),
    "a = ": (3, "a value is missing after '='", "after it"),
    "(a + )": (4, "a value is missing after '+'", "after it"),
    "* a": (1, "a value is missing before '*'", "begins with"),
    "a ** * b": (3, "a value is missing after '**'", "after it"),
    "f(a,,b)": (5, "a value is missing before ','", "begins with"),
    "x[]": (2, "an index is missing", "x[0]"),
    "x[1,,2]": (5, "a value is missing before ','", "begins with"),
    "x.": (2, "a name is missing after '.'", "x.sum()"),
    "a, b": (2, "a comma outside brackets", "[a, b]"),
    "[1, 2; 3, 4]": (6, "a ';' inside brackets", "[[1, 2], [3, 4]]"),
    "x: 3": (2, "':' stands only inside [ ]", "x[1:3]"),
    # statements
    "a = b = 3": (7, "two '=' in one statement", "one name a statement"),
    "(a = b)": (4, "'=' inside an expression", "=="),
    "a == b": (1, "'a == b' is true or false", "one '='"),
    "2 = x": (1, "'2' cannot be assigned", "name = expression"),
    "f(x) = x**2": (1, "functions cannot be defined", "y = x**2"),
    "x.T = a": (1, "'x.T' cannot be assigned", "name = expression"),
    "a*2; b": (1, "the value of 'a*2' is not used", "name it"),
    "y[i] = 2": (1, "'y[i]' cannot be assigned", "y[0] = ..."),
    "y[0, 1] = 2": (1, "'y[0, 1]' cannot be assigned", "[[a, b], [c, d]]"),
    "y[0] = a; y[2] = b": (11, "y[1] is missing: y is built up to y[2]", "without a gap"),
    "y[0] = a; y[0] = b": (11, "y[0] is assigned twice", "once"),
    "y[0] = a; z = y; y[1] = b": (15, "y is not complete here: y[1] is assigned later", "y[0]"),
    "y[0] = y[1]; y[1] = b": (8, "y is used here, and built element by element later", "another name"),
    "y = 2*x; x[0] = 3": (7, "x is used here, and built element by element later", "another name"),
    "y[0] = a; y = b; y[1] = a": (11, "y is assigned whole here and element by element later", "different"),
    "x[0] = 3; y = x*2; x[1] = 2": (15, "x is not complete here", "x[0]"),
    "y = x; y[0] = a": (1, "y is assigned whole here and element by element later", "different names"),
    # lists and indices
    "[]": (1, "an empty list", "[0]"),
    "[[1, 2], [3]]": (10, "a list of 1 among lists of 2", "[[1, 2], [3, 4]]"),
    "[1, [2]]": (5, "a list among numbers", "[[1, 2], [3, 4]]"),
    "[[a, b], pi]": (10, "a number among lists", "[[1, 2], [3, 4]]"),
    "y[0] = 1; y[1] = [a, b]": (18, "a list among numbers", "[[1, 2], [3, 4]]"),
    "x[1.5]": (3, "an index is a whole number", "x[0]"),
    "x[i]": (3, "an index is a whole number", "index_select(x, 0, i)"),
    "x[[0, 2]]": (3, "an index is a whole number", "index_select(x, 0, [0, 2])"),
    "x[::-1]": (3, "the step of a slice is 1 or more", "flip(x, 0)"),
    "x[..., 0, ...]": (1, "at most one '...'", "x[..., 0]"),
    "3[0]": (1, "a number has no elements", "x[0]"),
    "x + None": (5, "None stands only inside an index", "x[..., None]"),
    "x + True": (5, "True is not a number", "write 1"),
    # what Python has and the language has not
    "lambda x: x": (1, "a lambda is not part of the language", "y = x**2"),
    "[i for i in x]": (4, "a loop or comprehension ('for')", "whole"),
    "x if y else z": (3, "a conditional ('if')", "where("),
    "a and b": (3, "'and' is not an operator here", "logical_and(a, b)"),
    "not a": (1, "'not' is not an operator here", "logical_not(a)"),
    "a & b": (3, "'&' is not an operator here", "logical_and(a, b)"),
    "|x|": (1, "'|' is not an operator here", "abs(x)"),
    "x in y": (3, "'in' is not an operator here", "=="),
    "(x := 3)": (4, "the walrus ':='", "t = 3"),
    "f'{x}'": (1, "an f-string", "without quotes"),
    "'x' + y": (1, "a string is not part of an expression", "without quotes"),
    "x += 1": (3, "'+=' is not part of the language", "x = x + ..."),
    "x << 2": (3, "the shift '<<'", "x*2**3"),
    "{1, 2}": (1, "a set or dictionary", "[ ]"),
    "import torch": (1, "'import'", "drop the line"),
    "return x": (1, "'return'", "drop the word"),
    ">>> y = x": (1, "Python's prompt", "without it"),
    "y = x'": (6, "a quote that is never closed", "x.T"),
    "n!": (2, "'!' is not an operator here", "exp(lgamma(n + 1))"),
    "a <> b": (3, "'<>'", "!="),
    "a =< b": (3, "'=<'", "<="),
    "√x": (1, "'√' is not an operator here", "sqrt(x)"),
    "x ＋ 1": (3, "'＋' is not part of the language", "write +"),
    "x\x00y": (2, "the character U+0000", "made of"),
    "x + ２": (5, "'２' is not part of the language", "write 2"),
    # lines of tutorials
    "loss = x.sum(); loss.backward()": (22, "the backward pass by itself", "--grad"),
    "x = torch.tensor([1., 2.])": (5, "a leaf's value is given beside the program", "-i x=1,2,3"),
    "print(x)": (1, "print is not part of the language", "drop the line"),
    "x.to('cuda')": (3, "the device is chosen beside the program", "--device"),
    "x.float()": (3, "the dtype is chosen beside the program", "--dtype"),
    "x/x.shape[0]": (5, "a shape is not known before", "number itself"),
    "sum(x)/len(x)": (8, "len is not part of the language", "mean(x)"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "want"), FAULTS.items(), ids=FAULTS.keys())
def test_faults_of_programs(text: str, want: tuple[int, str, str]) -> None:
    column, message, hint = want
    error = fault(text)
    assert message in error.message
    assert hint in (error.hint or "")
    assert error.column == column
    assert error.exit_code == 2


VALUE_FAULTS = {
    "": (1, "the value is empty", "1,2,3"),
    "x": (1, "x is a name, and a value is made of numbers alone", "ones(3)"),
    "nann": (1, "nann is a name", "did you mean nan?"),
    "Inf": (1, "Inf is a name", "did you mean inf?"),
    "1 2 3": (3, "a comma or an operator is missing", "1, 2 in a list"),
    "1,,2": (3, "a value is missing before ','", "begins with"),
    "1;2": (2, "a value is one expression", "commas"),
    "1\n2": (2, "a value is one expression", "commas"),
    "a=3": (2, "'=' inside an expression", "=="),
    "[1,2": (1, "'[' is never closed", "closing"),
    "1,2]": (4, "']' closes nothing", "remove it"),
    "[[1,2],[3]]": (8, "a list of 1 among lists of 2", "[[1, 2], [3, 4]]"),
    "1,[2]": (3, "a list among numbers", "[[1, 2], [3, 4]]"),
    "1e400": (1, "1e400 is too large for a float64", "inf"),
    "1e-400": (1, "1e-400 is too small for a float64", "write 0"),
    "@x.npy": (1, "a value is missing before '@'", "-i x=@x.npy"),
    "'abc'": (1, "a string is not part of an expression", "without quotes"),
    "ones(x)": (6, "shape of ones is whole numbers", "usage"),
}


@pytest.mark.parametrize(("text", "want"), VALUE_FAULTS.items(), ids=VALUE_FAULTS.keys())
def test_faults_of_values(text: str, want: tuple[int, str, str]) -> None:
    column, message, hint = want
    with pytest.raises(GradcliError) as caught:
        parse_value(text, title="-i a")
    error = caught.value
    assert message in error.message and hint in (error.hint or "")
    assert error.column == column
    assert error.source is not None and error.source.title == "-i a"


def test_columns_count_characters_of_the_line() -> None:
    error = fault("a = 2·µ²\nb = ½")
    assert (error.line, error.column) == (2, 5)
    error = fault("a = 'é\nb")
    assert (error.line, error.column) == (1, 5)


def test_elements_of_inputs_are_not_assigned() -> None:
    error = fault("y = z; x[0] = 3", "x")
    assert error.message == "x already has a value, and its elements cannot be changed"
    assert (error.column, error.hint) == (8, "build the new vector under a name of its own")


def test_given_names_win_over_functions() -> None:
    error = fault("gamma(1 + x)", "gamma")
    assert error.hint == "to multiply write gamma*(1 + x)"
    error = fault("mean(1 + x)", "mean")
    assert error.message == "'mean' is a value here, and a function too"
    assert error.hint == "to multiply write mean*(1 + x); for the function write torch.mean(1 + x)"


# a slip, and the text that its hint proposes
FIXES = [
    ("2x", "2*x"), ("2(x+1)", "2*(x+1)"), ("(a)(b)", "(a)*(b)"), ("sin x", "sin(x)"),
    ("sin²(x)", "sin(x)**2"), ("max(x, 0)", "maximum(x, 0)"), ("max(x, 0)", "max(x, dim=0)"),
    ("max(x, dim=1)[0]", "(max(x, dim=1))[0]"),
    ("a and b", "logical_and(a, b)"), ("not a", "logical_not(a)"), ("√x", "sqrt(x)"),
    ("n!", "exp(lgamma(n + 1))"), ("x if y else z", "where(x > 0, x, 0)"), ("x[::-1]", "flip(x, 0)"),
    ("x[i]", "index_select(x, 0, i)"), ("x[[0, 2]]", "index_select(x, 0, [0, 2])"), ("x.sum", "x.sum()"),
    ("sec(x)", "1/cos(x)"), ("[1, 2; 3, 4]", "[[1, 2], [3, 4]]"), ("x << 2", "x*2**3"),
    ("zeros_like(x)", "0*x"), ("ones_like(x)", "1 + 0*x"), ("90°", "deg2rad(x)"), ("int(x)", "floor(x)"),
]  # fmt: skip


@pytest.mark.parametrize(("slip", "fix"), FIXES)
def test_what_a_hint_proposes_works(slip: str, fix: str) -> None:
    assert fix in (fault(slip).hint or "")
    assert parse(fix).nodes
