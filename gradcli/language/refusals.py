"""What is not part of the language, in words: Python's own, and what else people type.

Each entry is (message, hint): what is wrong, and what would work instead.
"""

from __future__ import annotations

Words = tuple[str, str | None]


def _not_part(what: str, hint: str | None) -> Words:
    return f"{what} is not part of the language", hint


_NO_LOOPS = "tensors are worked on whole: x**2 squares every element"
_NO_FLOW = "write one value a line: t = ...; the last line is the result"

#: words of Python
KEYWORDS: dict[str, Words] = {
    "lambda": _not_part("a lambda", "write its body: y = x**2; for a leaf of that name write lam or λ"),
    "for": _not_part("a loop or comprehension ('for')", _NO_LOOPS),
    "while": _not_part("a loop ('while')", _NO_LOOPS),
    "if": _not_part("a conditional ('if')", "choose element by element: where(x > 0, x, 0)"),
    "else": _not_part("a conditional ('else')", "choose element by element: where(x > 0, x, 0)"),
    "elif": _not_part("a conditional ('elif')", "choose element by element: where(x > 0, x, 0)"),
    "and": ("'and' is not an operator here", "write logical_and(a, b)"),
    "or": ("'or' is not an operator here", "write logical_or(a, b)"),
    "not": ("'not' is not an operator here", "write logical_not(a)"),
    "in": ("'in' is not an operator here", "compare with ==, or with < and >"),
    "is": ("'is' is not an operator here", "compare with =="),
    "import": _not_part("'import'", "drop the line: torch., F., math. and np. are understood without it"),
    "from": _not_part("'from'", "drop the line: torch., F., math. and np. are understood without it"),
    "def": _not_part("a function definition ('def')", "write its body: y = x**2"),
    "class": _not_part("a class", "write the computation itself: y = x**2"),
    "return": _not_part("'return'", "drop the word: the last line is the result"),
    "yield": _not_part("'yield'", _NO_FLOW),
    "with": _not_part("'with'", "drop the line"),
    **{
        word: _not_part(f"'{word}'", _NO_FLOW)
        for word in (
            [
                "as",
                "assert",
                "async",
                "await",
                "break",
                "continue",
                "del",
                "except",
                "finally",
                "global",
                "nonlocal",
                "pass",
                "raise",
                "try",
            ]
        )
    },
}

#: signs of Python and of mathematics that mean nothing here
SIGNS: dict[str, Words] = {
    ">>>": _not_part("Python's prompt '>>>'", "paste the line without it"),
    ":=": _not_part("the walrus ':='", "name the value in a line of its own: t = 3"),
    "->": _not_part("'->'", None),
    "<<": _not_part("the shift '<<'", "multiply by a power of two: x*2**3"),
    ">>": _not_part("the shift '>>'", "divide by a power of two: x/2**3"),
    "<>": ("'<>' is not an operator here", "write !="),
    "=<": ("'=<' is not an operator here", "write <="),
    "=>": ("'=>' is not an operator here", "write >="),
    "&&": ("'&&' is not an operator here", "write logical_and(a, b)"),
    "||": (
        "'||' is not an operator here",
        "write norm(x) for ||x||, logical_or(a, b) for either of two masks",
    ),
    "&": ("'&' is not an operator here", "write logical_and(a, b)"),
    "|": ("'|' is not an operator here", "write abs(x) for |x|, logical_or(a, b) for either of two masks"),
    "~": ("'~' is not an operator here", "write logical_not(a)"),
    "!": ("'!' is not an operator here", "write exp(lgamma(n + 1)) for n!, != for 'differs from'"),
    "{": _not_part("a set or dictionary ('{')", "write lists with [ ] and group with ( )"),
    "}": _not_part("a set or dictionary ('}')", "write lists with [ ] and group with ( )"),
    "\\": ("a stray '\\'", "to go on over several lines put the expression in parentheses"),
    "$": ("a stray '$'", "names are written without it"),
    "?": ("a stray '?'", "choose element by element: where(x > 0, x, 0)"),
    "`": ("a stray '`'", "names are written without quotes"),
    "√": ("'√' is not an operator here", "write sqrt(x)"),
    "∑": ("'∑' is not an operator here", "write sum(x)"),
    "∏": ("'∏' is not an operator here", "write prod(x)"),
    "∂": ("'∂' is not an operator here", "derivatives are what gradcli works out: write the expression"),
    "∇": ("'∇' is not an operator here", "derivatives are what gradcli works out: write the expression"),
    "′": ("'′' cannot be part of a name", "write x1 or x_prime"),
    "°": ("'°' is not an operator here", "write deg2rad(x)"),
    "±": ("'±' is not an operator here", "write [a + b, a - b] for both"),
    **{
        f"{sign}=": _not_part(f"'{sign}='", f"write the whole assignment: x = x {sign} ...")
        for sign in ("+", "-", "*", "/", "//", "%", "**", "@")
    },
}

#: functions of Python and torch that people paste
FUNCTIONS: dict[str, Words] = {
    **dict.fromkeys(
        (
            *("tensor", "Tensor", "FloatTensor", "DoubleTensor", "LongTensor", "as_tensor", "from_numpy"),
            *("array", "asarray", "Parameter", "Variable"),
        ),
        (
            "a leaf's value is given beside the program",
            "drop the line and give -i x=1,2,3; a constant is a plain list: [1, 2, 3]",
        ),
    ),
    "print": _not_part("print", "drop the line: gradcli shows the result"),
    "float": _not_part("float()", "numbers are floats already; write inf for float('inf')"),
    "int": _not_part("int()", "write floor(x) or trunc(x)"),
    "range": _not_part("range()", "write arange(n)"),
    "zeros_like": _not_part("zeros_like", "write 0*x"),
    "ones_like": _not_part("ones_like", "write 1 + 0*x"),
    "no_grad": _not_part("no_grad", "drop the line; --wrt chooses the leaves"),
    "manual_seed": _not_part("manual_seed", "drop the line; write rand(3, seed=1)"),
    "factorial": _not_part("factorial", "write exp(lgamma(n + 1))"),
    **{
        name: _not_part(name, f"write {text}")
        for name, text in {
            "sec": "1/cos(x)",
            "csc": "1/sin(x)",
            "cot": "1/tan(x)",
            "avg": "mean(x)",
            "average": "mean(x)",
            "sd": "std(x)",
            "len": "the number itself; mean(x) divides by it",
        }.items()
    },
    "σ": ("there is no function called σ", "write sigmoid(x), or σ*(x) to multiply"),
    "Σ": ("there is no function called Σ", "write sum(x), or Σ*(x) to multiply"),
    "any": _not_part("any", "a mask's sum is more than 0: sum(mask) > 0"),
    "all": _not_part("all", "a mask's product is 1 where all hold: prod(mask)"),
}

#: attributes and methods that are no operations
ATTRIBUTES: dict[str, Words] = {
    "backward": ("gradcli does the backward pass by itself", "drop the line; --grad 1,2,3 starts it"),
    "grad": ("gradcli shows every gradient by itself", "drop it"),
    "item": ("'.item()' is not needed", "drop it"),
    "data": _not_part("'.data'", "x.detach() is x without its gradient"),
    "numpy": ("'.numpy()' is not needed", "drop it"),
    "tolist": ("'.tolist()' is not needed", "drop it"),
    "shape": ("a shape is not known before the program runs", "write the number itself"),
    "size": ("a shape is not known before the program runs", "write the number itself"),
    "numel": ("a shape is not known before the program runs", "write the number itself"),
    "ndim": ("a shape is not known before the program runs", "write the number itself"),
    **dict.fromkeys(
        ("requires_grad", "requires_grad_", "retain_grad", "is_leaf", "zero_", "zero_grad"),
        ("every input is a leaf and keeps its gradient", "drop it; --wrt chooses the leaves"),
    ),
    **dict.fromkeys(
        ("cuda", "cpu", "to", "device"), ("the device is chosen beside the program", "drop it; --device cuda")
    ),
    **dict.fromkeys(
        ("double", "float", "half", "bfloat16", "type", "dtype"),
        ("the dtype is chosen beside the program", "drop it; --dtype float32"),
    ),
    "indices": ("only the values have a gradient", "write argmax(x, dim=0) or argsort(x) for the places"),
}

#: keyword arguments that gradcli decides itself
ARGUMENTS: dict[str, Words] = {
    "requires_grad": ATTRIBUTES["requires_grad"],
    "dtype": ATTRIBUTES["dtype"],
    "device": ATTRIBUTES["device"],
    "out": ("there is nothing to write into", "name the result: y = ..."),
    "generator": ("random numbers take a seed", "write rand(3, seed=1)"),
    "inplace": ("nothing is done in place", "drop it and name the result: y = ..."),
}
