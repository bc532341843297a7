#!/usr/bin/env bash
# 8. Automatic, symbolic and numeric derivatives side by side
#
#     bash -v samples/08-three-derivatives-of-one-thing.sh
#
# A derivative can be had in three ways:
#
#   torch         automatic: the chain rule, number by number; exact up to
#                 rounding; this is the gradient that gradcli answers with
#   closed form   symbolic: a formula, which says why, and holds at any point
#   differences   numeric: (f(x + h) - f(x - h))/(2*h); knows nothing about f,
#                 so it is a good witness, but it is only approximate
#
# Each result ends with a line that says whether they agree.  -v (verbose)
# shows the numbers:

gradcli eval "3*a + 2*b*b + log(c)" -i a=1 -i b=1 -i c=1 -v

# They differ in kind.  The formula 4 b can be read; the 4 of torch is a number
# at b = 1; a difference quotient loses a few digits on the way.  -p 12 shows 12
# digits, enough to see it:

gradcli eval "sin(1/x)" -i x=0.01 -v -p 12

# In float32 torch keeps 7 digits.  Formula and quotient are worked out in
# float64 all the same, so here it is torch that is the coarsest of the three:

gradcli eval "b*b*b" -i b=1.1 --dtype float32 -v
