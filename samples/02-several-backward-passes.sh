#!/usr/bin/env bash
# 2. Several backward passes: gradients add up until they are zeroed
#
#     bash -v samples/02-several-backward-passes.sh
#
# PyTorch adds what a backward pass finds to what leaf.grad already holds.
# Calling y.backward() twice therefore doubles every gradient.  Each --grad is
# one pass over the same graph:

gradcli eval "3*a + 2*b*b + log(c)" -i a=1 -i b=1 -i c=1 --grad 1 --grad 1

# That is wanted where a batch is too large for one pass.  Where it is not
# wanted, a training loop calls optimizer.zero_grad().  --zero-grad does that
# between the passes:

gradcli eval "3*a + 2*b*b + log(c)" -i a=1 -i b=1 -i c=1 --grad 1 --grad 1 \
    --zero-grad

# The formulas are those of the last pass; adding up does not change them.
