"""Torch's side: values, gradients, difference quotients and devices.

Importing a module of this package loads torch, except ``sizes`` and ``spellings``;
nothing here imports sympy.
"""
