"""Named limits, each with its own message.

They are far above anything written by hand and low enough that whatever passes
is parsed, evaluated and derived in moments.
"""

from __future__ import annotations

from gradcli.errors import GradcliError, Span

#: characters of a program, and of a value given as text
PROGRAM_LENGTH = 20_000
VALUE_LENGTH = 1_000_000
#: characters of one name
NAME_LENGTH = 100
#: brackets, signs and powers inside one another
DEPTH = 64
#: operations of a program; numbers and lists are free
OPERATIONS = 2_000
#: characters of all canonical texts of a program together
ECHO_LENGTH = 20_000_000
#: digits of one number
DIGITS = 300
#: whole-number exponents, either sign
EXPONENT = 1_000
#: decimal digits of whole-number arithmetic; float64 ends at 308
CONSTANT_DIGITS = 308
#: elements of one tensor
ELEMENTS = 100_000_000


def check_length(text: str, limit: int) -> None:
    """Refuse a text longer than ``limit`` characters."""
    if len(text) > limit:
        raise GradcliError(
            f"the text is {len(text):,} characters long; the limit is {limit:,}",
            span=Span(limit, limit + 1),
            hint="put long data in a file: -i x=@x.npy",
        )


def check_depth(depth: int, span: Span) -> None:
    """Refuse brackets, signs or powers more than ``DEPTH`` deep."""
    if depth > DEPTH:
        raise GradcliError(
            f"the expression is nested more than {DEPTH} deep",
            span=span,
            hint="name the inner parts: t = ...; y = f(t)",
        )


def check_operations(count: int, span: Span) -> None:
    """Refuse a program of more than ``OPERATIONS`` operations."""
    if count > OPERATIONS:
        raise GradcliError(
            f"the program has more than {OPERATIONS:,} operations",
            span=span,
            hint="work on whole tensors: sum(x) in place of x[0] + x[1] + ...",
        )


def check_echo(length: int, span: Span) -> None:
    """Refuse a program whose canonical texts, with all repeats written out, are too long."""
    if length > ECHO_LENGTH:
        raise GradcliError(
            "the program is too long when its repeated parts are written out",
            span=span,
            hint="give the repeated parts names: t = ...; y = t*t",
        )


def check_digits(digits: str, span: Span) -> None:
    """Refuse a number written with more than ``DIGITS`` digits."""
    count = len(digits) if len(digits) <= DIGITS else sum(c.isdigit() for c in digits)
    if count > DIGITS:
        raise GradcliError(
            f"the number has {count:,} digits; the limit is {DIGITS}",
            span=span,
            hint="float64 keeps 17 digits; write large numbers as 1e100",
        )


def check_exponent(exponent: int, span: Span) -> None:
    """Refuse a whole-number exponent beyond ``EXPONENT``, whatever its base."""
    if abs(exponent) > EXPONENT:
        shown = str(exponent) if abs(exponent) < 10**20 else "here"
        raise GradcliError(
            f"the exponent {shown} is beyond the limit of {EXPONENT:,} for whole numbers",
            span=span,
            hint="write the exponent as a decimal, such as 2000.0, to have it worked out in floating point",
        )


def check_constant(value: int, span: Span) -> None:
    """Refuse arithmetic with whole numbers alone whose exact result does not fit a float64."""
    if abs(value) >= 10**CONSTANT_DIGITS:
        raise GradcliError(
            f"the exact value of this constant has more than {CONSTANT_DIGITS} digits",
            span=span,
            hint="float64 ends at 1.8e308; use smaller numbers, or work with logarithms",
        )


def check_elements(shape: tuple[int, ...], span: Span) -> None:
    """Refuse a tensor of more than ``ELEMENTS`` elements."""
    count = 1
    for size in shape:
        count *= abs(size)
    if count > ELEMENTS:
        raise GradcliError(
            f"the tensor would have {count:,} elements; the limit is {ELEMENTS:,}"
            if count < 10**30
            else f"the tensor would have more elements than the limit of {ELEMENTS:,}",
            span=span,
            hint="use a smaller shape: the closed form is the same for any size",
        )
