"""Matrix products and linear algebra."""

from gradcli.ops.row import Kind, Row

_PRODUCT = "Products"
_LINALG = "Linear algebra"
_O = Kind.OPAQUE
_C = Kind.COMPOSITE

# fmt: off
ROWS = (
    Row("matmul", "x, other", "Matrix product, batches broadcast", "torch.matmul", _O, operator="@",
        section=_PRODUCT),
    Row("dot", "x, other", "Inner product of two vectors", "torch.dot", _O, synonyms=("vdot",), section=_PRODUCT),
    Row("mv", "x, other", "Matrix times vector", "torch.mv", _O, section=_PRODUCT),
    Row("mm", "x, other", "Matrix times matrix", "torch.mm", _O, section=_PRODUCT),
    Row("bmm", "x, other", "Matrix products of two batches", "torch.bmm", _O, section=_PRODUCT),
    Row("inner", "x, other", "Sum of products over the last axes", "torch.inner", _O, section=_PRODUCT),
    Row("outer", "x, other", "Outer product of two vectors", "torch.outer", _O, synonyms=("ger",),
        section=_PRODUCT),
    Row("tensordot", "x, other, dims: pair = 2", "Sum of products over dims axes", "calls.tensordot", _O,
        section=_PRODUCT),
    Row("einsum", "equation: text, operands: tensors", "Sum of products in index notation", "calls.einsum", _O,
        section=_PRODUCT),
    Row("kron", "x, other", "Kronecker product", "calls.kron", _O, section=_PRODUCT),
    Row("linear", "x, weight, bias = None", "x @ weight.T + bias", "torch.nn.functional.linear", _C,
        expansion="calls.linear", section=_PRODUCT),
    Row("addmm", "input, mat1, mat2, beta: number = 1, alpha: number = 1", "beta*input + alpha*(mat1 @ mat2)",
        "torch.addmm", _C, expansion="{beta}*input + {alpha}*(mat1 @ mat2)", section=_PRODUCT),
    Row("addmv", "input, mat, vec, beta: number = 1, alpha: number = 1", "beta*input + alpha*(mat @ vec)",
        "torch.addmv", _C, expansion="{beta}*input + {alpha}*(mat @ vec)", section=_PRODUCT),
    Row("baddbmm", "input, batch1, batch2, beta: number = 1, alpha: number = 1",
        "beta*input + alpha*(batch1 @ batch2)", "torch.baddbmm", _C,
        expansion="{beta}*input + {alpha}*(batch1 @ batch2)", section=_PRODUCT),
    Row("cross", "x, other, dim: int = -1", "Cross product of vectors of three", "torch.linalg.cross", _C,
        expansion="roll(x, -1, {dim})*roll(other, -2, {dim}) - roll(x, -2, {dim})*roll(other, -1, {dim})",
        section=_PRODUCT),
    Row("trace", "x", "Sum of the diagonal", "torch.trace", _O, section=_LINALG),
    Row("inv", "x", "Inverse", "torch.linalg.inv", _O, synonyms=("inverse",), section=_LINALG),
    Row("pinv", "x", "Pseudo-inverse of a matrix of full rank", "torch.linalg.pinv", _C, expansion="calls.pinv",
        synonyms=("pinverse",), section=_LINALG),
    Row("det", "x", "Determinant", "torch.linalg.det", _O, section=_LINALG),
    Row("logdet", "x", "log of a positive determinant", "torch.logdet", _O, section=_LINALG),
    Row("slogdet", "x", "log of the absolute determinant", "calls.logabsdet", _O, synonyms=("logabsdet",),
        section=_LINALG),
    Row("solve", "A, B", "The X with A @ X = B", "torch.linalg.solve", _O, section=_LINALG),
    Row("cholesky", "x", "Lower factor L of a positive definite L @ L.T", "calls.cholesky", _O,
        section=_LINALG),
    Row("matrix_power", "x, n: int", "x @ x @ … @ x, n times", "torch.linalg.matrix_power", _O, section=_LINALG),
    # What local rules are written with.
    Row("cofactor", "x", "The matrix of cofactors: the derivative of det, singular matrices included", "calls.cofactor",
        Kind.CONSTANT, internal=True),
)
# fmt: on
