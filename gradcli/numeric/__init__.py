"""Torch's side: values, gradients, difference quotients and devices.

Importing a module of this package loads torch, except ``sizes``;
nothing here imports sympy.
"""
