"""What a called or dotted name means: a function of the table, a method, a constant, or a mistake."""

from __future__ import annotations

from gradcli.errors import GradcliError, Span
from gradcli.language import names
from gradcli.language.binding import Asked
from gradcli.language.refusals import ATTRIBUTES, FUNCTIONS
from gradcli.language.scope import Scope, dotted, prefix_of
from gradcli.language.suggest import nearest
from gradcli.language.syntax import Argument, Attribute, Call, Name, Number
from gradcli.language.wording import missing_multiplication, shown
from gradcli.ops import table
from gradcli.ops.row import Row

_LIST = "gradcli functions lists all functions"


class Functions:
    """Looks functions, methods and prefixes up, and words what is none of them."""

    def __init__(self, text: str, scope: Scope, internal: bool) -> None:
        self.text = text
        self.scope = scope
        self.internal = internal

    def find(self, name: str) -> Row | None:
        """The row that users, or closed forms, may call by ``name``."""
        row = table.find(name)
        return row if row is not None and (self.internal or not row.internal) else None

    def asked(self, call: Call) -> Asked | None:
        """The row that ``call`` asks for; None when what is called is no name at all.

        Raises:
            GradcliError: there is no such function or method.
        """
        function = call.function
        if isinstance(function, Name):
            row = self.find(function.name)
            # what closed forms call is a function, whatever the user's values are called
            if row is None or (self.scope.is_value(function.name) and not self.internal):
                raise self._not_function(call, function, row)
            return Asked(row, call, function.span, None, "internal" if self.internal else "bare")
        if not isinstance(function, Attribute):
            return None
        prefix = self._prefix(function)
        if prefix is None:
            row = self.find(function.name)
            if row is None:
                raise self.bad_attribute(function)
            return Asked(row, call, function.name_span, function.of, "method")
        numpy = prefix.split(".")[0] in ("np", "numpy")
        name = _LINALG_NAMES.get(function.name, function.name) if _has_order(prefix, call) else function.name
        row = self.find(_NUMPY_NAMES.get(name, name) if numpy else name)
        if row is None:
            raise self.unknown(function.name, function.span)
        if numpy:
            call = _as_numpy(row, call)
        return Asked(row, call, function.span, None, "prefixed")

    def prefixed_constant(self, tree: Attribute) -> str | None:
        """pi of ``math.pi``."""
        return tree.name if tree.name in names.CONSTANTS and self._prefix(tree) is not None else None

    def _prefix(self, tree: Attribute) -> str | None:
        links = dotted(tree)
        return None if links is None or self.scope.is_value(links[0].name) else prefix_of(tree)

    def unknown(self, name: str, span: Span) -> GradcliError:
        """No function has this name."""
        if name in FUNCTIONS:
            message, hint = FUNCTIONS[name]
            return GradcliError(message, span=span, hint=hint)
        return GradcliError(
            f"there is no function called {name}", span=span, hint=nearest(name, table.names()) or _LIST
        )

    def _not_function(self, call: Call, function: Name, row: Row | None) -> GradcliError:
        name = function.name
        if row is not None:
            arguments = shown(Span(function.span.end, call.span.end), self.text)
            return GradcliError(
                f"'{name}' is a value here, and a function too",
                span=function.span,
                hint=f"to multiply write {name}*{arguments}; for the function write torch.{name}{arguments}",
            )
        known = self.scope.is_value(name) or self.scope.constant(name)
        if known or (len(name) == 1 and name not in FUNCTIONS):
            return missing_multiplication(call, self.text)
        return self.unknown(name, function.span)

    def bad_attribute(self, tree: Attribute) -> GradcliError:
        """``x.name`` means nothing; of a chain of such mistakes the first is reported."""
        inner = tree.of.function if isinstance(tree.of, Call) else tree.of
        if isinstance(inner, Attribute) and inner.name not in ("T", "mT") and self.find(inner.name) is None:
            return self.bad_attribute(inner)
        if isinstance(tree.of, Call) and isinstance(inner, Name) and self.find(inner.name) is None:
            return self._not_function(tree.of, inner, None)
        if self._prefix(tree) is not None:
            return self._bare_function(tree)
        name, span = tree.name, tree.name_span
        message, hint = f"'.{name}' is not part of the language", nearest(name, table.names())
        plain = name.rstrip("_")
        if self.find(name) is not None:
            message, hint = f"'.{name}' is a method and needs parentheses", f"write x.{name}()"
        elif name in ATTRIBUTES:
            message, hint = ATTRIBUTES[name]
        elif plain != name and self.find(plain) is not None:
            message, hint = "nothing is changed in place", f"write x.{plain}(...) and name the result"
        return GradcliError(message, span=span, hint=hint or "methods are written x.sum(); x.T is x transposed")

    def _bare_function(self, tree: Attribute) -> GradcliError:
        path = shown(tree.span, self.text)
        if self.find(tree.name) is None:
            return self.unknown(tree.name, tree.span)
        return GradcliError(f"{path} is a function", span=tree.span, hint=f"write {path}(x)")

    def name_in_value(self, tree: Name) -> GradcliError:
        """A leaf where only numbers may stand."""
        return GradcliError(
            f"{tree.name} is a name, and a value is made of numbers alone",
            span=tree.span,
            hint=nearest(tree.name, (*names.CONSTANTS, "true", "false"))
            or "write numbers, lists, pi, inf, or a generator such as ones(3)",
        )


#: functions of linalg that mean something else for a matrix once an order is given
_LINALG_NAMES = {"norm": "linalg_norm"}


def _has_order(prefix: str, call: Call) -> bool:
    """Whether ``torch.linalg.norm`` is given an order."""
    order = len(call.arguments) > 1 and call.arguments[1].keyword is None
    return prefix.endswith("linalg") and (order or any(a.keyword in ("ord", "p") for a in call.arguments))


#: NumPy's functions whose torch namesake means something else
_NUMPY_NAMES = {"repeat": "repeat_interleave"}


def _as_numpy(row: Row, call: Call) -> Call:
    """NumPy's std and var divide by N where torch's divide by N - 1."""
    given = {argument.keyword for argument in call.arguments}
    if row.name not in ("std", "var") or given & {"ddof", "correction", "unbiased"}:
        return call
    zero = Argument(call.span, "correction", Number(call.span, "0"))
    return Call(call.span, call.function, (*call.arguments, zero))
