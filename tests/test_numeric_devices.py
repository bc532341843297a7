"""Devices and dtypes: those present, and refusals that name them."""

import pytest
import torch

from gradcli.errors import GradcliError
from gradcli.numeric import devices


def test_the_cpu_is_always_present_and_first():
    first = devices.present()[0]
    assert first.name == "cpu"
    assert first.threads == torch.get_num_threads()
    assert first.dtypes == ("float16", "bfloat16", "float32", "float64")
    assert devices.resolve_device("cpu") == torch.device("cpu")


@pytest.mark.parametrize("name", ["cuda:99", "mps", "xpu:7", "meta", "hpu"])
def test_an_absent_device_is_refused_with_those_present(name):
    if any(found.name == name for found in devices.present()):
        pytest.skip("this machine has it")
    with pytest.raises(GradcliError) as caught:
        devices.resolve_device(name)
    assert caught.value.message == f"there is no device {name!r} here"
    assert caught.value.hint.startswith("devices present: cpu")


@pytest.mark.parametrize("name", ["gpu", "", "cpu:x", "cuda:-1", "cpu cpu"])
def test_a_name_that_torch_does_not_know_is_refused(name):
    with pytest.raises(GradcliError) as caught:
        devices.resolve_device(name)
    assert caught.value.hint.startswith("devices present: cpu")


def test_backends_are_listed_with_name_and_memory(monkeypatch):
    class Properties:
        name = "Accelerator X"
        total_memory = 8 * 1024**3

    monkeypatch.setattr(devices, "_count", lambda kind: {"cuda": 2, "mps": 1}.get(kind, 0))
    monkeypatch.setattr(torch.cuda, "get_device_properties", lambda index: Properties())
    found = {device.name: device for device in devices.present()}
    assert list(found) == ["cpu", "cuda:0", "cuda:1", "mps"]
    assert found["cuda:1"].description == "Accelerator X" and found["cuda:1"].memory == 8 * 1024**3
    assert "float64" in found["cuda:0"].dtypes and "float64" not in found["mps"].dtypes


def test_a_backend_that_fails_is_listed_without_its_facts(monkeypatch):
    def broken(index):
        raise RuntimeError("driver")

    monkeypatch.setattr(devices, "_count", lambda kind: int(kind == "cuda"))
    monkeypatch.setattr(torch.cuda, "get_device_properties", broken)
    assert devices.present()[1] == devices.Device("cuda:0", "cuda", None, devices.FLOATS)


def test_float64_is_refused_where_there_is_none():
    mps = torch.device("mps")
    assert devices.default_dtype("mps") == torch.float32 and devices.default_dtype("cuda:1") == torch.float64
    devices.check_dtype(mps, torch.float32)
    with pytest.raises(GradcliError) as caught:
        devices.check_dtype(mps, torch.float64)
    assert caught.value.message == "mps has no float64" and caught.value.hint == "add --dtype float32"


@pytest.mark.parametrize("name", ["complex64", "cfloat", "int64", "bool", "float8_e4m3fn", "tensor", "", "float128"])
def test_dtypes_without_a_gradient_are_refused(name):
    with pytest.raises(GradcliError) as caught:
        devices.resolve_dtype(name)
    assert caught.value.hint == "one of float16, bfloat16, float32, float64"


def test_dtype_names():
    assert devices.resolve_dtype("torch.half") == torch.float16
    assert devices.resolve_dtype("double") == torch.float64
