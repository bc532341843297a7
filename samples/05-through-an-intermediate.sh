#!/usr/bin/env bash
# 5. The chain rule, through an intermediate
#
#     bash -v samples/05-through-an-intermediate.sh
#
# A program may have several statements.  Backward goes from the last one, z,
# to y, and from y to x:  ∂z/∂x is the sum of ∂z/∂y[k] * ∂y[k]/∂x.

gradcli eval "y = [x**2, 3*x, exp(x)]; z = y[0]*y[1] + y[2]" -i x=1

# [3, 1, 1] is what reaches y: ∂z/∂y.  Whoever looks at y alone would give just
# that as the upstream gradient, and get the same gradient of x, 9 + e:

gradcli eval "[x**2, 3*x, exp(x)]" -i x=1 --grad 3,1,1

# A sum at the end sends 1 to each element:

gradcli eval "y = x**2 + 2; z = torch.sum(y)" -i x=1,2,3

# --of starts from another statement than the last.  This is ∂y/∂x alone:

gradcli eval "y = x**2 + 2; z = torch.sum(y)" -i x=1,2,3 --of y --grad 1,1,1
