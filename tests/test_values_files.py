"""Values in files: every format, no pickle, and one clear error for each way a file can fail."""

import os
import pickle
import zipfile

import numpy as np
import pytest
import torch

from gradcli.errors import GradcliError
from gradcli.values import formats, read_value


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def tensor(text, **options):
    return read_value(text, title="-i a", **options).tensor()


def refusal(text, **options):
    with pytest.raises(GradcliError) as caught:
        tensor(text, **options)
    return caught.value


class Trap:
    """Unpickling this makes a file: proof that code ran."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return open, (str(self.path), "w")


# ---- numpy ----


@pytest.mark.parametrize(
    ("dtype", "made"),
    [
        ("f2", torch.float16),
        ("f4", torch.float32),
        ("f8", torch.float64),
        (">f4", torch.float32),
        ("i4", torch.float64),
        ("u2", torch.float64),
        ("u8", torch.float64),
        (np.longdouble, torch.float64),
        ("?", torch.bool),
    ],
)
def test_npy_keeps_floating_dtypes_and_makes_whole_numbers_floating(here, dtype, made):
    np.save("x.npy", np.array([[0, 1], [1, 0]], dtype=dtype))
    found = tensor("@x.npy")
    assert found.dtype == made
    assert found.tolist() == [[0, 1], [1, 0]]


def test_npy_in_column_order_and_of_no_axes(here):
    np.save("x.npy", np.asfortranarray([[1.0, 2.0], [3.0, 4.0]]))
    np.save("s.npy", np.float64(2.5))
    np.save("e.npy", np.zeros((0, 3)))
    assert tensor("@x.npy").tolist() == [[1, 2], [3, 4]]
    assert tensor("@s.npy").shape == () and tensor("@s.npy").item() == 2.5
    assert tensor("@e.npy").shape == (0, 3)


def test_base_dir_is_where_relative_names_start(tmp_path):
    np.save(tmp_path / "x.npy", np.ones(2))
    assert tensor("@x.npy", base_dir=tmp_path).tolist() == [1, 1]
    assert tensor(f"@{tmp_path}/x.npy", base_dir="/").tolist() == [1, 1]


def test_npz_takes_a_key_or_its_only_one(here):
    np.savez("one.npz", w=np.ones(2))
    np.savez_compressed("two.npz", w=np.ones(2), bias=np.zeros(3, dtype="f4"))
    assert tensor("@one.npz").tolist() == [1, 1]
    assert tensor("@two.npz:bias").dtype == torch.float32
    error = refusal("@two.npz")
    assert error.message == "two.npz holds several tensors: w, bias" and error.hint == "name one: @two.npz:w"
    error = refusal("@two.npz:bia")
    assert error.message == "two.npz has no key 'bia'; its keys are w, bias"
    assert error.hint == "@two.npz:bias"


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (np.array([1 + 2j]), "holds complex numbers"),
        (np.array(["a"]), "holds text"),
        (np.array([b"a"]), "holds text"),
        (np.array([(1, 2.0)], dtype=[("a", int), ("b", float)]), "holds records with several fields"),
        (np.array(["2020-01-01"], dtype="M8[D]"), "holds dates"),
    ],
)
def test_arrays_that_hold_no_real_numbers_are_refused(here, array, message):
    np.save("x.npy", array)
    np.savez("x.npz", k=array)
    assert refusal("@x.npy").message == f"x.npy {message}"
    assert refusal("@x.npz:k").message == f"x.npz:k {message}"


def test_object_arrays_are_refused_and_not_unpickled(here):
    np.save("x.npy", np.array([Trap(here / "ran")], dtype=object), allow_pickle=True)
    np.savez("x.npz", k=np.array([Trap(here / "ran")], dtype=object))
    (here / "p.npy").write_bytes(pickle.dumps(Trap(here / "ran")))
    assert refusal("@x.npy").message == "x.npy holds Python objects"
    assert refusal("@x.npz").message == "x.npz:k holds Python objects"
    assert refusal("@p.npy").message == "p.npy is no .npy data"
    assert not (here / "ran").exists()


def test_a_header_that_claims_too_much_is_refused_before_reading(here):
    np.lib.format.open_memmap("x.npy", mode="w+", dtype="f8", shape=(1,))
    data = (here / "x.npy").read_bytes().replace(b"(1,), }                ", b"(1000, 1000, 1000), }  ")
    (here / "x.npy").write_bytes(data)
    assert refusal("@x.npy").message == "x.npy has 1,000,000,000 elements, and the limit is 100,000,000"


@pytest.mark.parametrize("keep", [0, 4, 40, 130])
def test_cut_or_damaged_npy_files_are_refused(here, keep):
    np.save("x.npy", np.ones(100))
    (here / "x.npy").write_bytes((here / "x.npy").read_bytes()[:keep])
    assert refusal("@x.npy").message in ("x.npy is no .npy data", "x.npy is cut short or damaged")


@pytest.mark.parametrize("name", ["x.npy", "x.npz", "x.pt", "x.csv", "x.json"])
def test_binary_junk_is_refused_in_every_format(here, name):
    (here / name).write_bytes(bytes(range(256)) * 20)
    assert refusal(f"@{name}").message.startswith(name)


def test_a_damaged_archive_member_is_refused(here):
    with zipfile.ZipFile("x.npz", "w") as archive:
        archive.writestr("k.npy", b"\x93NUMPY junk")
    assert refusal("@x.npz").message == "x.npz:k is no .npy data"


# ---- torch ----


def test_pt_holds_a_tensor_a_state_dict_or_a_list(here):
    torch.save(torch.ones(2, dtype=torch.bfloat16), "t.pt")
    layer = torch.nn.Linear(2, 1)
    torch.save(layer.state_dict(), "m.pt")
    torch.save({"step": 3, "w": torch.nn.Parameter(torch.ones(1))}, "c.pth")
    torch.save([torch.zeros(1), torch.ones(1)], "l.pt")
    assert tensor("@t.pt").dtype == torch.bfloat16
    assert torch.equal(tensor("@m.pt:weight"), layer.weight.detach())
    assert not tensor("@c.pth").requires_grad
    assert tensor("@l.pt:1").tolist() == [1]
    assert refusal("@m.pt").message == "m.pt holds several tensors: weight, bias"
    assert refusal("@m.pt:wait").message == "m.pt has no key 'wait'; its keys are weight, bias"
    assert refusal("@t.pt:x").message == "t.pt holds one tensor and has no keys"


def test_pt_is_not_unpickled_freely(here):
    torch.save(Trap(here / "ran"), "x.pt")
    message = "x.pt holds no tensors that can be read without running code from the file"
    assert refusal("@x.pt").message == message
    assert not (here / "ran").exists()


@pytest.mark.parametrize(
    ("held", "message"),
    [
        (torch.ones(1, dtype=torch.complex64), "@x.pt holds complex numbers"),
        (torch.eye(2).to_sparse(), "x.pt: the tensor is sparse"),
        (torch.ones(1).to(torch.float8_e4m3fn), "@x.pt has dtype float8_e4m3fn"),
        (3, "x.pt holds an object of type int and no tensor"),
        ({"a": 1}, "x.pt holds no tensor"),
    ],
)
def test_pt_files_without_real_numbers_are_refused(here, held, message):
    torch.save(held, "x.pt")
    assert refusal("@x.pt").message == message


# ---- opening ----


def test_names_that_cannot_be_opened(here):
    (here / "d.npy").mkdir()
    os.symlink("loop.npy", here / "loop.npy")
    os.mkfifo(here / "pipe.json")
    (here / "x.txt").write_text("1")
    assert refusal("@no.npy").message == "there is no file no.npy"
    assert refusal("@no.npy").hint == f"relative names start in {here}"
    assert refusal("@x.txt/y.npy").message == "there is no file x.txt/y.npy"
    assert refusal("@d.npy").message == "d.npy is a folder, not a file"
    assert refusal("@loop.npy").message == "loop.npy is a symbolic link that leads back to itself"
    assert refusal("@pipe.json").message == "pipe.json is no regular file"
    assert refusal("@x.txt").message == "x.txt has no format that can be read here"
    assert refusal("@").message == "there is no file name after @"
    assert refusal("@" + "a" * 300 + ".npy").message.endswith("is too long")
    assert refusal("@a\0.npy").message == "'a\\x00.npy' is no file name"
    error = refusal(" @no.npy")
    assert error.source.text[error.span.start : error.span.end] == " @no.npy"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission(here):
    (here / "x.npy").write_bytes(b"")
    (here / "x.npy").chmod(0)
    assert refusal("@x.npy").message == "x.npy may not be read: permission denied"


def test_permission_denied_is_said(here, monkeypatch):
    np.save("x.npy", np.ones(1))

    def refuse(path, name, key):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setitem(formats.FORMATS, ".npy", refuse)
    assert refusal("@x.npy").message == "x.npy may not be read: permission denied"
