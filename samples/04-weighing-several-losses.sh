#!/usr/bin/env bash
# 4. Several losses, each with its weight
#
#     bash -v samples/04-weighing-several-losses.sh
#
# A list makes one vector of several losses.  The upstream gradient then says
# how much each of them counts: the result is the gradient of
# -0.1*w1**2 + 1*w1*w2 + 0.0001*w2**3.  A weight may be negative.

gradcli eval "[w1**2, w1*w2, w2**3]" -i w1=2 -i w2=3 --grad -0.1,1,0.0001

# The matrix has a row for each loss and a column for each leaf.  g·J takes the
# rows, each times its weight, and adds them:
#
#     w1:  -0.1*4 + 1*3 + 0.0001*0  = 2.6
#     w2:  -0.1*0 + 1*2 + 0.0001*27 = 2.0027
#
# --jacobian formula writes each column as a formula instead.  e0, e1 and e2 are
# unit vectors, so 2 w1 e0 + w2 e1 is the column [2 w1, w2, 0].

gradcli eval "[w1**2, w1*w2, w2**3]" -i w1=2 -i w2=3 --grad -0.1,1,0.0001 \
    --jacobian formula
