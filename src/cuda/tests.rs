//! Tests of the sort on a device at awkward sizes, and of memory.

use super::Gpu;
use super::sort::SortKernels;

/// Pseudorandom numbers, the same in every run.
fn numbers(n: usize) -> Vec<u64> {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let next = |_| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state ^ (state >> 29)
    };
    (0..n).map(next).collect()
}

#[test]
#[ignore = "needs a CUDA device"]
fn gpu_sorts_descending() {
    let gpu = Gpu::open(0, None).unwrap();
    for n in [0usize, 1, 2, 31, 32, 33, 4095, 4096, 4097, 100_003, 1_000_000] {
        for bits in [1, 8, 23, 64] {
            let mask = if bits == 64 { u64::MAX } else { (1 << bits) - 1 };
            let mut expected: Vec<u64> = numbers(n).iter().map(|number| number & mask).collect();
            // The elements after the keys must not change.
            let mut keys = gpu.upload(&[expected.clone(), vec![7; 5]].concat()).unwrap();
            SortKernels::load(&gpu, 1).unwrap().sort(&gpu, &mut keys, n as u64, bits).unwrap();
            expected.sort_unstable_by(|a, b| b.cmp(a));
            expected.extend([7; 5]);
            assert_eq!(gpu.read(&keys, 0..n + 5).unwrap(), expected, "{n} keys of {bits} bits");
        }
        let limbs = numbers(2 * n);
        let mut expected: Vec<u128> =
            limbs.chunks_exact(2).map(|l| u128::from(l[0]) | u128::from(l[1] & 0xffff_ffff) << 64).collect();
        let split =
            |keys: &[u128]| keys.iter().flat_map(|&k| [k as u64, (k >> 64) as u64]).collect::<Vec<_>>();
        let mut keys = gpu.upload(&split(&expected)).unwrap();
        SortKernels::load(&gpu, 2).unwrap().sort(&gpu, &mut keys, n as u64, 96).unwrap();
        expected.sort_unstable_by(|a, b| b.cmp(a));
        assert_eq!(gpu.read(&keys, 0..2 * n).unwrap(), split(&expected), "{n} keys of two limbs");
    }
}

#[test]
#[ignore = "needs a CUDA device"]
fn gpu_memory_is_counted() {
    let gpu = Gpu::open(0, Some(1000)).unwrap();
    let first = gpu.zeros::<u64>(100).unwrap();
    assert!(gpu.zeros::<u64>(26).is_err());
    assert_eq!((gpu.available().unwrap(), gpu.peak()), (200, 800));
    drop(first);
    assert_eq!(gpu.zeros::<u64>(125).unwrap().len(), 125);
    assert_eq!(gpu.peak(), 1000);
}

#[test]
#[ignore = "needs a CUDA device"]
fn gpu_page_locked_memory_goes_there_and_back() {
    let gpu = Gpu::open(0, None).unwrap();
    let [mut there, mut back] = [0, 1].map(|_| gpu.pinned::<u32>(1000).unwrap());
    assert_eq!(there.slice().unwrap(), [0; 1000]);
    let mut buffer = gpu.zeros::<u32>(5000).unwrap();
    gpu.fill(&mut buffer, 0xab).unwrap();
    let mut expected = vec![0xabab_abab; 5000];
    for round in 0..40u32 {
        // Copies must be done before their memory is overwritten.
        let n = 1000 - round as usize;
        let at = round as usize * 100;
        for (k, number) in there.slice_mut().unwrap().iter_mut().enumerate() {
            *number = round * 1000 + k as u32;
        }
        expected[at..at + n].copy_from_slice(&there.slice().unwrap()[..n]);
        gpu.send(&mut there, n, &mut buffer, at).unwrap();
    }
    gpu.send(&mut there, 0, &mut buffer, 5000).unwrap();
    assert_eq!(gpu.read(&buffer, 0..5000).unwrap(), expected);
    for first in [0, 1, 999, 4000, 4990] {
        let end = 5000.min(first + 1000);
        gpu.receive(&buffer, first..end, &mut back).unwrap();
        assert_eq!(back.slice().unwrap()[..end - first], expected[first..end]);
    }
    gpu.receive(&buffer, 17..17, &mut back).unwrap();
    assert_eq!(gpu.pinned::<u64>(0).unwrap().slice().unwrap(), [0]);
    gpu.fill(&mut gpu.zeros::<u8>(0).unwrap(), 1).unwrap();
}

/// Memory of a device is ordered by the stream of its opening: another opening, even of the same device, has another
/// stream.
#[test]
#[ignore = "needs a CUDA device"]
fn gpu_refuses_memory_of_another() {
    let open = || Gpu::open(0, None).unwrap();
    let (gpu, other) = (open(), open());
    let refuses = |what: &str, use_it: &mut dyn FnMut()| {
        let used = std::panic::catch_unwind(std::panic::AssertUnwindSafe(use_it));
        let panic = used.expect_err(what);
        let text = panic.downcast_ref::<String>().unwrap();
        assert!(text.contains("expected its own"), "{what}: {text}");
    };
    let (mut own, mut foreign) = (gpu.zeros::<u32>(64).unwrap(), other.zeros::<u32>(64).unwrap());
    let mut pinned = other.pinned::<u32>(64).unwrap();
    refuses("read", &mut || drop(gpu.read(&foreign, 0..1)));
    refuses("write", &mut || drop(gpu.write(&mut foreign, 0, &[1])));
    refuses("copy from", &mut || drop(gpu.copy(&foreign, 0..1, &mut own)));
    refuses("copy to", &mut || drop(gpu.copy(&own, 0..1, &mut foreign)));
    refuses("clear", &mut || drop(gpu.clear(&mut foreign)));
    refuses("fill", &mut || drop(gpu.fill(&mut foreign, 1)));
    refuses("send", &mut || drop(gpu.send(&mut pinned, 1, &mut own, 0)));
    refuses("receive", &mut || drop(gpu.receive(&own, 0..1, &mut pinned)));
    let mut inbox = gpu.inbox::<u32>(64).unwrap();
    refuses("inbox", &mut || drop(inbox.send(&mut pinned, 1, 0)));
    let kernels = SortKernels::load(&gpu, 1).unwrap();
    let mut keys = other.zeros::<u64>(64).unwrap();
    refuses("launch", &mut || drop(kernels.sort(&gpu, &mut keys, 64, 64)));
}
