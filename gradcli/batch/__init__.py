"""Batches: problem files read with every place known, run in order, and held against what is expected.

``files`` opens them, ``schema`` says what they may hold, ``running`` makes an outcome of an entry,
``grouping`` runs alike ones together, ``queue`` keeps the order, ``reporting`` tells.
"""
