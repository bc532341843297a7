#!/usr/bin/env bash
# 9. Where the derivative is a matter of choice, or none at all
#
#     bash -v samples/09-kinks-and-nans.sh
#
# relu has a corner at 0.  Its slope is 0 on the left and 1 on the right; torch
# chooses 0.  The difference quotient straddles the corner and finds 0.5.

gradcli eval "relu(x)" -i x=-1,0,2 --grad 1,1,1

# Several elements may share the maximum.  max shares the slope among them:

gradcli eval "max(x)" -i x=1,3,3

# max along an axis gives it to one of them:

gradcli eval "max(x, dim=0)" -i x=1,3,3

# The slope of sqrt at 0 is infinite:

gradcli eval "sqrt(x)" -i x=0,4 --grad 1,1

# A where does not protect the branch that it does not take: 0 times infinity
# is NaN.  The formula knows better, and the note says how to write it.

gradcli eval "where(x > 0, sqrt(x), x)" -i x=-1,-4 --grad 1,1
gradcli eval "where(x > 0, sqrt(where(x > 0, x, 1)), x)" -i x=-1,-4 \
    --grad 1,1 -q

# The logarithm of a negative number is NaN, although its slope looks fine:

gradcli eval "log(c)" -i c=-2

# A softmax written by hand overflows where softmax does not:

gradcli eval "exp(x)/sum(exp(x))" -i x=1000,1001,1002 --grad 1,0,0
gradcli eval "softmax(x, dim=0)" -i x=1000,1001,1002 --grad 1,0,0 -q
