#!/usr/bin/env bash
# Gallery: what courses on deep learning and books on statistics differentiate
#
#     bash -v samples/gallery.sh
#
# Jacobians have rows over the outputs and columns over the leaf, both row by
# row; of a single number they are printed in the leaf's own shape.  g is the
# upstream gradient, ∘ multiplies element by element, 𝟏 is all ones.
export GRADCLI_JACOBIAN=formula

# ---- One function, element by element: the Jacobian is diagonal ----

# A polynomial.
gradcli eval "x**3 - 2*x" -i x=1,2,3 -g 1,1,1
# The logistic function, in terms of itself.
gradcli eval "sigmoid(x)" -i x=-1,0,2 -g 1,1,1
# The hyperbolic tangent, the same.
gradcli eval "y = tanh(x)" -i x=-1,0,2 -g 1,1,1
# A rectifier: 1 where it lets through.
gradcli eval "relu(x)" -i x=-1,0.5,2 -g 1,1,1
# Its smooth relative.
gradcli eval "softplus(x)" -i x=-1,0,2 -g 1,1,1
# Swish.
gradcli eval "x*sigmoid(x)" -i x=-1,0,2 -g 1,1,1
# The Gaussian error linear unit.
gradcli eval "gelu(x)" -i x=-1,0,2 -g 1,1,1

# ---- Numbers made of a vector: the Jacobian is the gradient ----

# A weighted sum.
gradcli eval "w@x" -i w=1,2,3 -i x=0.5,1,1.5
# The squared length.
gradcli eval "x@x" -i x=1,2,3
# The length: a unit vector.
gradcli eval "norm(x)" -i x=3,4
# The mean, which spreads g evenly.
gradcli eval "mean(x)" -i x=1,2,3,4
# The variance, which pushes away from the mean.
gradcli eval "var(x)" -i x=1,2,4
# The standard deviation.
gradcli eval "std(x)" -i x=1,2,4
# Entropy.
gradcli eval -e "-sum(p*log(p))" -i p=0.2,0.3,0.5
# Kullback and Leibler's divergence.
gradcli eval "sum(p*log(p/q))" -i p=0.2,0.8 -i q=0.5,0.5
# The cosine of an angle.
gradcli eval "x@y/(norm(x)*norm(y))" -i x=1,2 -i y=2,1
# The product of all, right where one is 0.
gradcli eval "prod(x)" -i x=2,0,3

# ---- The softmax family ----

# The classic: diag(s) - s sᵀ.
gradcli eval "s = softmax(x)" -i x=1,2,3 -g 1,0,0
# The same written out: the program's own name for it is used.
gradcli eval "s = exp(x)/sum(exp(x))" -i x=1,2,3 -g 1,0,0
# Its logarithm.
gradcli eval "log_softmax(x)" -i x=1,2,3 -g 1,0,0
# The smooth maximum, whose gradient softmax is.
gradcli eval "logsumexp(x)" -i x=1,2,3
# Cross entropy with probabilities as targets.
gradcli eval -e "-sum(t*log_softmax(x))" -i x=1,2,3 -i t=0.1,0.2,0.7 --wrt x
# Cross entropy with classes: probabilities minus the right answers.
gradcli eval "cross_entropy(X, t)" -i X="[[1,2,3],[1,0,1]]" -i t=2,0
# Attention weights: softmax of every row.
gradcli eval "S = softmax(X, dim=1)" -i X="[[1,2,3],[1,0,1]]" -g "[[1,0,0],[0,1,0]]"

# ---- Matrices ----

# Matrix times vector.
gradcli eval "A@x" -i A="[[1,2],[3,4],[5,6]]" -i x=1,2 -g 1,1,1
# Matrix times matrix times matrix.
gradcli eval "A@X@B" -i A="[[1,2],[3,4]]" -i X="[[1,0],[0,1]]" -i B="[[1,1],[0,1]]" -g "[[1,0],[0,0]]" --wrt X
# A quadratic form.
gradcli eval "x@A@x" -i A="[[2,1],[0,3]]" -i x=1,2
# A bilinear form.
gradcli eval "a@X@b" -i a=1,2 -i X="[[1,2],[3,4]]" -i b=3,4
# Rayleigh's quotient; it is stationary at eigenvectors.
gradcli eval "r = x@A@x/(x@x)" -i A="[[2,1],[1,2]]" -i x=1,1 --wrt x
# A trace.
gradcli eval "trace(A@X)" -i A="[[1,2],[3,4]]" -i X="[[1,0],[0,1]]" --wrt X
# Gram's matrix.
gradcli eval "X.T@X" -i X="[[1,2],[3,4]]" -g "[[1,0],[0,1]]"
# The determinant, right for a singular matrix too.
gradcli eval "det(A)" -i A="[[1,2],[2,4]]"
# Its logarithm.
gradcli eval "logdet(A)" -i A="[[2,1],[1,2]]"
# The inverse.
gradcli eval "inv(A)" -i A="[[2,1],[0,3]]" -g "[[1,0],[0,0]]"
# Through a linear system.
gradcli eval "c@solve(A, b)" -i A="[[2,1],[0,3]]" -i b=1,2 -i c=1,1
# Frobenius' norm of a residual.
gradcli eval "norm(A@X - B)**2" -i A="[[1,2],[3,4]]" -i X="[[1,0],[0,1]]" -i B="[[1,1],[1,1]]" --wrt X

# ---- Statistics ----

# Least squares.
gradcli eval "sum((X@w - y)**2)" -i X="[[1,1],[1,2],[1,3]]" -i w=0.5,0.5 -i y=1,2,2 --wrt w
# Ridge regression.
gradcli eval "sum((X@w - y)**2) + lam*sum(w**2)" -i X="[[1,1],[1,2],[1,3]]" -i w=0.5,0.5 -i y=1,2,2 -i lam=0.1 --wrt w
# Least absolute deviations.
gradcli eval "sum(abs(X@w - y))" -i X="[[1,1],[1,2],[1,3]]" -i w=0.5,0.5 -i y=0,2,3 --wrt w
# Logistic regression.
gradcli eval "sum(softplus(X@w) - y*(X@w))" -i X="[[1,1],[1,2],[1,3]]" -i w=0.5,-0.5 -i y=1,0,1 --wrt w
# The same from its log-likelihood: it simplifies to the same.
gradcli eval "p = sigmoid(X@w); -sum(y*log(p) + (1 - y)*log(1 - p))" -i X="[[1,1],[1,2],[1,3]]" -i w=0.5,-0.5 -i y=1,0,1 --wrt w
# Poisson regression.
gradcli eval "sum(exp(X@w) - y*(X@w))" -i X="[[1,1],[1,2]]" -i w=0.5,-0.5 -i y=1,0 --wrt w
# A support vector machine.
gradcli eval "sum(relu(1 - y*(X@w)))" -i X="[[1,1],[1,2],[1,3]]" -i w=0.5,-0.5 -i y=1,-1,1 --wrt w
# The log-likelihood of a normal sample.
gradcli eval -e "-sum((x - mu)**2)/(2*sigma**2) - 3*log(sigma)" -i x=1,2,4 -i mu=2 -i sigma=1.5 --wrt mu,sigma
# Of a multivariate normal.
gradcli eval -e "-logdet(S)/2 - (x - mu)@inv(S)@(x - mu)/2" -i x=1,2 -i mu=0,1 -i S="[[2,1],[1,2]]" --wrt mu,S

# ---- Networks ----

# One layer.
gradcli eval "tanh(W@x + b)" -i W="[[1,2],[3,-4]]" -i x=0.1,0.2 -i b=0,0.5 -g 1,1
# Two layers and a squared error: backpropagation, spelt out.
gradcli eval "h = tanh(W@x + b); e = V@h - t; sum(e**2)" -i W="[[1,2],[3,-4]]" -i x=0.1,0.2 -i b=0,0.5 -i V="[[1,-1],[2,0]]" -i t=1,0
# A residual block.
gradcli eval "h = relu(W@x); y = x + V@h" -i x=1,2 -i W="[[1,-1],[1,1]]" -i V="[[1,0],[0,2]]" -g 1,1
# A gate.
gradcli eval "z = sigmoid(a); z*x + (1 - z)*h" -i a=0.5,-1 -i x=1,2 -i h=0,1 -g 1,1
# Standardising, as layer and batch normalisation do.
gradcli eval "y = (x - mean(x))/sqrt(var(x, unbiased=False) + 1e-5)" -i x=1,2,4 -g 1,0,0
# Normalising to length 1.
gradcli eval "u = x/norm(x)" -i x=3,4 -g 1,0
# Attention.
gradcli eval "S = softmax(Q@K.T/sqrt(2), dim=1); S@V" -i Q="[[1,0],[0,1]]" -i K="[[1,1],[0,1],[1,0]]" -i V="[[1,0],[0,1],[1,1]]" -g "[[1,0],[0,1]]"

# ---- Shapes, orders, neighbours ----

# A row added to every row.
gradcli eval "X + b" -i X="[[1,2],[3,4],[5,6]]" -i b=1,2 -g "[[1,2],[3,4],[5,6]]" --wrt b
# A running sum: L has ones on and below the diagonal.
gradcli eval "cumsum(x)" -i x=1,2,3 -g 1,1,1
# Smoothness: squared differences of neighbours.
gradcli eval "sum((x[1:] - x[:-1])**2)" -i x=1,2,4,7
# The largest of each row.
gradcli eval "max(X, dim=1)" -i X="[[1,3,2],[5,4,6]]" -g 1,10
# Order statistics.
gradcli eval "w@sort(x)" -i w=1,2,3 -i x=3,1,2
# A choice by condition.
gradcli eval "where(x > 0, x**2, -x)" -i x=-1,0.5,2 -g 1,1,1
# Every second element.
gradcli eval "x[::2]" -i x=1,2,3,4,5 -g 1,10,100
# Distances of all pairs, as kernels and embeddings need them.
gradcli eval "K = exp(-sum((X[:, None] - X[None])**2, -1))" -i X="[[0,0],[1,0],[0,2]]" -g "ones(3,3)"
