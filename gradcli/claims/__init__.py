"""Claims: gradients and Jacobians that somebody states as formulas, held against torch's.

``formulas`` evaluates them, ``fitting`` compares values and shapes, ``spots`` gives the points, ``deciding``
the verdict and ``slips`` what a wrong one looks like.  Importing the submodules loads torch.
"""
