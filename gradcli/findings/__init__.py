"""Findings: what a reader should know about the point, and which disagreements that explains.

One module a kind of note: ``kinks``, ``ties``, ``poles`` (domains and overflow too), ``limits`` (of a
0/0), ``branches`` (that are not taken), ``singular``, ``precision``.  ``agreement`` compares torch's
gradient with the closed form and the difference quotient; ``point`` holds what all of them look at.
"""
