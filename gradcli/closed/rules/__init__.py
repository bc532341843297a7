"""Local Jacobian rules, one a row of the table that is kept by name."""

from gradcli.closed.rules import algebra, joins, products, reductions
from gradcli.closed.rules.site import RULES, Local, Rule, Site

__all__ = ["RULES", "Local", "Rule", "Site", "algebra", "joins", "products", "reductions"]
