"""What a GPU says of itself: its name, and how much of its memory is taken while a program runs."""

import ctypes
import subprocess
import threading
import time


class NoDevice(Exception):
    """Nobody here can say anything of a GPU."""


class _Memory(ctypes.Structure):
    _fields_ = [("total", ctypes.c_ulonglong), ("free", ctypes.c_ulonglong), ("used", ctypes.c_ulonglong)]


class Nvml:
    """A device by NVML, the library behind nvidia-smi: a sample takes microseconds."""

    period = 0.002
    """Seconds between samples."""

    def __init__(self, index):
        try:
            self._library = ctypes.CDLL("libnvidia-ml.so.1")
        except OSError as error:
            raise NoDevice(f"NVML: {error}") from error
        self._handle = ctypes.c_void_p()
        self._call("nvmlInit_v2")
        self._call("nvmlDeviceGetHandleByIndex_v2", ctypes.c_uint(index), ctypes.byref(self._handle))

    def _call(self, function, *arguments):
        code = getattr(self._library, function)(*arguments)
        if code != 0:
            raise NoDevice(f"{function}: error {code}")

    def _text(self, function, *arguments):
        text = ctypes.create_string_buffer(96)
        self._call(function, *arguments, text, ctypes.c_uint(len(text)))
        return text.value.decode()

    def description(self):
        name = self._text("nvmlDeviceGetName", self._handle)
        return f"{name}, driver {self._text('nvmlSystemGetDriverVersion')}"

    def used(self):
        """Bytes in use, by whomever."""
        memory = _Memory()
        self._call("nvmlDeviceGetMemoryInfo", self._handle, ctypes.byref(memory))
        return memory.used


class Smi:
    """A device by the program nvidia-smi, where NVML cannot be loaded."""

    period = 0.02
    """Seconds between samples, besides what a sample takes."""

    def __init__(self, index):
        self._index = index
        self.used()

    def _ask(self, *fields):
        command = ["nvidia-smi", f"--id={self._index}", f"--query-gpu={','.join(fields)}"]
        command += ["--format=csv,noheader,nounits"]
        try:
            said = subprocess.run(command, check=True, capture_output=True, text=True, timeout=30).stdout
        except (OSError, subprocess.SubprocessError) as error:
            raise NoDevice(f"nvidia-smi: {error}") from error
        return [field.strip() for field in said.strip().split(",")]

    def description(self):
        name, driver = self._ask("name", "driver_version")
        return f"{name}, driver {driver}"

    def used(self):
        (mebibytes,) = self._ask("memory.used")
        return int(mebibytes) << 20


def find(index):
    """The device, by whatever there is.

    Raises NoDevice."""
    try:
        return Nvml(index)
    except NoDevice as nvml:
        try:
            return Smi(index)
        except NoDevice as smi:
            raise NoDevice(f"{nvml}; {smi}") from smi


class Peak:
    """Within `with`: the most memory in use above what was in use at the start, sampled by a thread.

    The CUDA context counts; so does another program that starts meanwhile."""

    def __init__(self, device):
        self._device = device
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self.bytes = 0
        """None when the device stopped answering."""

    def __enter__(self):
        self._base = self._device.used()
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._stop.set()
        self._thread.join()

    def _watch(self):
        try:
            while not self._stop.wait(self._device.period):
                self.bytes = max(self.bytes, self._device.used() - self._base)
        except NoDevice:
            self.bytes = None


def settle(device, seconds=5.0, slack=64 << 20):
    """Waits until the device's memory has not shrunk for a while: a context is freed a little after its process."""
    last, deadline = device.used(), time.monotonic() + seconds
    while time.monotonic() < deadline:
        time.sleep(0.1)
        used = device.used()
        if used >= last - slack:
            return
        last = used
