"""Layers and losses: composites of other rows, and convolution."""

from gradcli.ops.row import Kind, Row

_LAYER = "Layers"
_LOSS = "Losses"
_C = Kind.COMPOSITE
_R = "reduction: text = 'mean'"

# ``{reduce}`` is the name of the reduction, or nothing for 'none'.
# fmt: off
ROWS = (
    Row("normalize", "x, p: number = 2, dim: int = 1, eps: number = 1e-12", "x/norm(x) along dim",
        "torch.nn.functional.normalize", _C, expansion="x/clamp(norm(x, {p}, {dim}, True), {eps})",
        section=_LAYER),
    Row("layer_norm", "x, normalized_shape: shape, weight = None, bias = None, eps: number = 1e-5",
        "(x - mean)/sqrt(var + eps)*weight + bias over the last axes", "calls.layer_norm", _C,
        expansion="calls.layer_norm", section=_LAYER),
    Row("rms_norm", "x, normalized_shape: shape, weight = None, eps: number = None",
        "x/sqrt(mean(x**2) + eps)*weight over the last axes; eps left out is the precision of the dtype",
        "calls.rms_norm", _C, expansion="calls.rms_norm", section=_LAYER),
    Row("glu", "x, dim: int = -1", "First half times the sigmoid of the second", "torch.nn.functional.glu", _C,
        expansion="calls.glu", section=_LAYER),
    Row("scaled_dot_product_attention", "query, key, value", "softmax(Q @ K.T/sqrt(d)) @ V",
        "torch.nn.functional.scaled_dot_product_attention", _C, expansion="calls.attention", section=_LAYER),
    Row("conv1d", "x, weight, bias = None, stride: int = 1, padding: int = 0, dilation: int = 1",
        "Sliding sum of products of (batch, channel, time) with (out, channel, tap)", "torch.nn.functional.conv1d",
        Kind.OPAQUE, section=_LAYER),
    Row("avg_pool1d", "x, kernel_size: int, stride: int = None, padding: int = 0", "Sliding mean along the last axis",
        "calls.avg_pool1d", Kind.OPAQUE, section=_LAYER),
    Row("cosine_similarity", "x, other, dim: int = 1, eps: number = 1e-8", "Inner product of unit vectors",
        "torch.nn.functional.cosine_similarity", _C, expansion="calls.cosine_similarity", section=_LAYER),
    Row("pairwise_distance", "x, other, p: number = 2, eps: number = 1e-6", "Norm of x - other + eps, row by row",
        "torch.nn.functional.pairwise_distance", _C, expansion="norm(x - other + {eps}, {p}, -1)", section=_LAYER),
    Row("cdist", "x, other, p: number = 2", "Distances between the rows of x and the rows of other", "calls.cdist",
        _C, expansion="norm(unsqueeze(x, -2) - unsqueeze(other, -3), {p}, -1)", section=_LAYER),
    Row("mse_loss", f"x, target, {_R}", "Mean squared difference", "torch.nn.functional.mse_loss", _C,
        expansion="{reduce}((x - target)**2)", section=_LOSS),
    Row("l1_loss", f"x, target, {_R}", "Mean absolute difference", "torch.nn.functional.l1_loss", _C,
        expansion="{reduce}(abs(x - target))", section=_LOSS),
    Row("huber_loss", f"x, target, {_R}, delta: number = 1.0", "Squared where small, linear where large",
        "torch.nn.functional.huber_loss", _C,
        expansion="{reduce}(where(abs(x - target) < {delta}, (x - target)**2/2,"
                  " {delta}*(abs(x - target) - {delta}/2)))", section=_LOSS),
    Row("smooth_l1_loss", f"x, target, {_R}, beta: number = 1.0", "Squared where small, linear where large",
        "torch.nn.functional.smooth_l1_loss", _C,
        expansion="{reduce}(where(abs(x - target) < {beta}, (x - target)**2/(2*{beta}),"
                  " abs(x - target) - {beta}/2))", section=_LOSS),
    Row("cross_entropy", f"x, target, {_R}", "-log_softmax(x) at the class, or weighted by class probabilities",
        "calls.cross_entropy", _C, expansion="calls.cross_entropy", section=_LOSS),
    Row("nll_loss", f"x, target: index, {_R}", "-x at the class", "torch.nn.functional.nll_loss", _C,
        expansion="calls.nll_loss", section=_LOSS),
    Row("binary_cross_entropy", f"x, target, {_R}", "-(t*log(x) + (1 - t)*log(1 - x))",
        "torch.nn.functional.binary_cross_entropy", _C,
        expansion="{reduce}(-(target*log(x) + (1 - target)*log(1 - x)))", sample="(0.1, 0.9)", section=_LOSS),
    Row("binary_cross_entropy_with_logits", f"x, target, {_R}", "The same of sigmoid(x), without overflow",
        "torch.nn.functional.binary_cross_entropy_with_logits", _C, expansion="{reduce}(softplus(x) - x*target)",
        section=_LOSS),
    Row("kl_div", f"x, target, {_R}, log_target: bool = False", "Relative entropy; x holds logarithms",
        "torch.nn.functional.kl_div", _C, expansion="calls.kl_div", sample="(0.1, 0.9)", section=_LOSS),
    Row("poisson_nll_loss", f"x, target, {_R}", "exp(x) - target*x", "calls.poisson_nll_loss", _C,
        expansion="{reduce}(exp(x) - target*x)", section=_LOSS),
    Row("soft_margin_loss", f"x, target, {_R}", "log(1 + exp(-target*x))", "calls.soft_margin_loss", _C,
        expansion="{reduce}(softplus(-target*x))", section=_LOSS),
)
# fmt: on
