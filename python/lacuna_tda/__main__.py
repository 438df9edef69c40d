"""``python -m lacuna_tda`` prints the version, and what there is to compute with."""

from . import info


def main() -> None:
    found = info()
    print(f"lacuna-tda {found.version}: {found.threads} threads, {found.simd}; GPUs: {found.cuda}")
    for device in found.devices:
        major, minor = device.capability
        print(f"device {device.number}: {device.name}, compute capability {major}.{minor}, {device.memory >> 20} MiB")


if __name__ == "__main__":
    main()
