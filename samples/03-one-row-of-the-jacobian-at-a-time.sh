#!/usr/bin/env bash
# 3. One-hot upstream gradients: one row of the Jacobian at a time
#
#     bash -v samples/03-one-row-of-the-jacobian-at-a-time.sh
#
# An upstream gradient that is 1 in one place and 0 elsewhere picks one row of
# the Jacobian: the gradient of that one element.  NAME=VALUE starts a pass at
# the statement NAME.  Zeroing in between keeps the rows apart.

gradcli eval "z = 2*x; loss = z.sum(dim=1)" -i "x=[[1,2,3,4]]" \
    --grad "z=[[1,0,0,0]]" --grad "z=[[0,1,0,0]]" --grad "z=[[1,1,1,1]]" \
    --grad loss=1 --zero-grad

# The third pass starts at z with ones, the fourth at loss with 1.  They agree:
# backward from a sum is backward from its terms with ones.
#
# In 2 g[0] 𝟏ᵀ it is g[0], not g: sum(dim=1) keeps the first axis, so loss has
# shape (1,).
#
# All rows at once are the Jacobian.  It is small enough to show:

gradcli eval "2*x" -i x=1,2,3,4 --grad 1,0,0,0 --jacobian matrix
