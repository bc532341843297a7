#!/usr/bin/env bash
# 11. Is my gradient right?
#
#     bash -v samples/11-is-my-gradient-right.sh
#
# You have worked out a gradient by hand, or written a backward of your own.
# Claim it: in the formula g is the upstream gradient, and the names of leaves
# and statements are what they are in the program.

gradcli check "softmax(x)" -i x=1,2,3 --claim "x=y*(g - dot(y, g))"

# A claim is decided by its value, at the given point and at random ones, so it
# may be written in any way.  A wrong one comes with a point that refutes it.

gradcli check "softmax(x)" -i x=1,2,3 -g 1,0,0 --claim "x=y*(1 - y)*g" || echo "exit code $?"

# Common slips have names.  A forgotten transpose:

gradcli check "A @ x" -i "A=[[1,2],[3,4]]" -i x=1,1 --claim "x=A @ g" || echo "exit code $?"

# A sum that broadcasting asks for:

gradcli check "X + b" -i "X=[[1,2,3],[4,5,6]]" -i b=1,2,3 --claim "b=g" || echo "exit code $?"

# Jacobians can be claimed as well.

gradcli check "A @ x" -i "A=[[1,2],[3,4]]" -i x=1,1 --claim-jacobian "x=A"

# Claims in a file are checked every time the file is run:

gradcli batch samples/exercises.yaml
