"""Values: what users give for leaves and upstream gradients, as texts, files and Python objects.

Texts and files are read and checked at once, before torch is loaded; ``Value.tensor`` makes the tensor.
"""

from gradcli.values.objects import from_python
from gradcli.values.tensors import Value
from gradcli.values.texts import read_value

__all__ = ["Value", "from_python", "read_value"]
