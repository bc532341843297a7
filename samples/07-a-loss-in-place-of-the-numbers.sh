#!/usr/bin/env bash
# 7. A loss in place of the numbers
#
#     bash -v samples/07-a-loss-in-place-of-the-numbers.sh
#
# The upstream gradient stands for whatever comes after y.  If you know what
# comes after, write it down as one more statement:

gradcli eval "y[0] = x1*x2*x3; y[1] = x1 + x2 + x3; y[2] = x1 + x2*x3
              A = 0.1*y[0] + 0.2*y[1] + 0.3*y[2]" -i x1=1 -i x2=2 -i x3=3

# What reaches y is [0.1, 0.2, 0.3]: the weights.  The gradients are those that
# y.backward(torch.tensor([0.1, 0.2, 0.3])) gives.
#
# Or keep y as the root, and give the number that comes after it as --loss.
# The upstream gradient is then worked out, and shown:

gradcli eval "[x1*x2*x3, x1 + x2 + x3, x1 + x2*x3]" -i x1=1 -i x2=2 -i x3=3 \
    --loss "0.1*y[0] + 0.2*y[1] + 0.3*y[2]"

# The loss need not be linear.  Half the squared distance to a target t sends
# y - t upstream.  Only the loss speaks of t, so t is no leaf of y.

gradcli eval "3*x" -i x=1,2 -i t=2,7 --loss "sum((y - t)**2)/2"
