#!/usr/bin/env bash
# 1. What is the upstream gradient?
#
# Read from top to bottom and paste the commands into a terminal, or watch
# them run, each with its output below it:
#
#     bash -v samples/01-what-is-the-upstream-gradient.sh
#
# A PyTorch tutorial computes y = 3*a + 2*b*b + log(c), three numbers, and then
# writes
#
#     y.backward(torch.tensor([0.1, 1.0, 0.0001]))
#
# What are the three numbers?  Type the same here and see.  No values are given
# for a, b and c, so each of them is ones.

gradcli eval "3*a+2*b*b+log(c)" --grad 0.1,1,1e-4

# Somewhere downstream there is one number L that depends on y.  The three
# numbers say how much: they are ∂L/∂y, the upstream gradient, called g.
# Backward multiplies it by the Jacobian: the gradient of a leaf is g·∂y/∂leaf.
#
# Here every element of y depends on the same element of each leaf alone, so
# each Jacobian is diagonal.  3 I is 3 times the identity matrix; diag(4 b) has
# 4*b[0], 4*b[1], … on its diagonal; ∘ multiplies element by element.
#
# The same with values of your own:

gradcli eval "3*a + 2*b*b + log(c)" -i a=1,2,3 -i b=3,4,5 -i c=6,7,8 \
    --grad 0.1,1,1e-4

# Where y is one number, it may be L itself.  Then g is 1 and need not be given.

gradcli eval "3*a + 2*b*b + log(c)" -i a=0.1 -i b=1 -i c=0.1

# A g whose shape is not that of y is refused.  PyTorch does the same today.

gradcli eval "3*a + 2*b*b + log(c)" -i "a=[0]" -i "b=[0]" -i "c=[0]" \
    --grad 0.1,1,1e-4 || echo "exit code $?"

# Old releases of PyTorch accepted it: they repeated y to the shape of g, so
# that the weights add up, 0.1 + 1 + 0.0001 = 1.1001.  --expand does that.
#
# Old tutorials make the leaves by torch.FloatTensor(1), which is memory that
# nobody has filled.  It often holds 0, and log(0) is a pole: hence the inf.

gradcli eval "3*a + 2*b*b + log(c)" -i "a=[0]" -i "b=[0]" -i "c=[0]" \
    --grad 0.1,1,1e-4 --expand

# A leaf made by empty(1) is such memory.  gradcli accepts it, with a warning.
# The gradient of 3*a is 3 whatever a holds.  -f torch prints the lines that a
# PyTorch session would print:

gradcli eval "3*a" -i "a=empty(1, pin_memory=True)" -f torch
