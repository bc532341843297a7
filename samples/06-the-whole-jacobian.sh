#!/usr/bin/env bash
# 6. The whole Jacobian, as one matrix equation
#
#     bash -v samples/06-the-whole-jacobian.sh
#
# When each output depends on every input, the Jacobian is not diagonal.  While
# it is small it is shown whole, in symbols and in numbers.  Torch never builds
# it: backward computes g·J without J.

gradcli eval "y[0] = x1*x2*x3; y[1] = x1 + x2 + x3; y[2] = x1 + x2*x3" \
    -i x1=1 -i x2=2 -i x3=3 --grad 0.1,0.2,0.3

# Rows are outputs, columns are leaves.  The second column times g:
# 0.1*3 + 0.2*1 + 0.3*3 = 1.4, the gradient of x2.
#
# A list says the same as three assignments:

gradcli eval "[x1*x2*x3, x1+x2+x3, x1+x2*x3]" -i x1=1 -i x2=2 -i x3=3 \
    --grad 0.1,0.2,0.3 -q

# And so does one leaf with three elements, of which x[0] is the first:

gradcli eval "[x[0]*x[1]*x[2], x[0]+x[1]+x[2], x[0]+x[1]*x[2]]" -i x=1,2,3 \
    --grad 0.1,0.2,0.3

# Only some of the leaves?  --wrt names them; the others are constants.

gradcli eval "[x1*x2*x3, x1+x2+x3, x1+x2*x3]" -i x1=1 -i x2=2 -i x3=3 \
    --grad 0.1,0.2,0.3 --wrt x2
