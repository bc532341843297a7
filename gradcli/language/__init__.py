"""text → Program: the one parser for programs, values, slopes and expansions.

Stages, each a module: ``tokens`` (words with their places), ``grammar`` and ``statements`` (syntax trees),
``scope`` and ``meaning`` (what names stand for), ``binding`` (arguments to parameters), ``build`` and
``nodes`` (hash-consed nodes), ``echo`` (canonical text).  Nothing here evaluates or executes user text, and
nothing heavy is imported.
"""

from gradcli.language.names import fold_name
from gradcli.language.program import Node, Program, Statement
from gradcli.language.programs import parse, parse_value

__all__ = ["Node", "Program", "Statement", "fold_name", "parse", "parse_value"]
