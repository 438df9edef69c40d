//! The exchanges of ranks that MPI connects.

use std::env;
use std::ops::ControlFlow;
use std::sync::Mutex;
use std::thread;

use lacuna::internals::{Ranks, launched, start};

use super::super::skipped;
use super::{launcher, on_ranks, stderr};

/// Each exchange, on every rank of as many processes of this test program: messages of all lengths, also longer than
/// one call of MPI takes.
#[test]
fn exchanges_arrive_as_they_were_sent() {
    let Some(launcher) = launcher() else { return };
    for size in [2, 3, 8] {
        let mut command = on_ranks(&launcher, size, &env::current_exe().unwrap());
        let output = command.args(["--exact", "mpi::exchanges::on_a_rank", "--ignored"]).output().unwrap();
        assert!(
            output.status.success(),
            "{size}: {}{}",
            String::from_utf8_lossy(&output.stdout),
            stderr(&output)
        );
    }
}

#[test]
#[ignore = "a rank of the test of exchanges, which starts it"]
fn on_a_rank() {
    let Some(launched) = launched() else { return skipped("not started by a launcher") };
    let world = start(launched).unwrap();
    let ranks: &dyn Ranks = &*world;
    let (rank, size) = (ranks.rank(), ranks.size());
    assert_eq!((rank, Some(size)), (launched.rank, launched.size));

    for length in [0, 1000, (16 << 20) + 1] {
        let expected: Vec<u8> = (0..length).map(|k| (k % 251) as u8).collect();
        let mut bytes = if rank == 0 { expected.clone() } else { vec![7; rank] };
        ranks.broadcast(&mut bytes);
        assert!(bytes == expected, "{length}");
    }
    for length in [0_usize, 1, (2 << 20) + 1] {
        let mut numbers: Vec<i64> = (0..length).map(|k| (k * (rank + 1)) as i64).collect();
        if let Some(first) = numbers.first_mut() {
            *first = i64::MAX;
        }
        ranks.sum(&mut numbers);
        let all = size * (size + 1) / 2;
        let expected = |k: usize| if k == 0 { i64::MAX.wrapping_mul(size as i64) } else { (k * all) as i64 };
        assert!(numbers.iter().enumerate().all(|(k, &sum)| sum == expected(k)), "{length}");
    }
    // Rank r sends to rank s so many bytes, of a value that both know.
    let length = |from: usize, to: usize| {
        if (from + to).is_multiple_of(3) { 0 } else { ((20 << 20) / size / size) * (from + 1) + 17 * to }
    };
    let value = |from: usize, to: usize| (from * 16 + to) as u8;
    let sent = (0..size).map(|to| vec![value(rank, to); length(rank, to)]).collect();
    let received = ranks.all_to_all(sent).unwrap();
    for (from, bytes) in received.iter().enumerate() {
        assert_eq!(bytes.len(), length(from, rank));
        assert!(bytes.iter().all(|&byte| byte == value(from, rank)));
    }
    let gathered = ranks.gather(vec![rank as u8; rank * 3]).unwrap();
    for (from, bytes) in gathered.iter().enumerate() {
        assert_eq!(*bytes, if rank == 0 { vec![from as u8; from * 3] } else { Vec::new() });
    }
    // Deals follow each other at once. In each, two threads of every rank take numbers, but for one rank, which takes
    // none.
    let deals = [1, 40, 1000].map(|end| {
        let taken = Mutex::new(Vec::new());
        let take_all = |count: u64, take: &(dyn Fn(u64) -> u64 + Sync)| {
            let firsts = std::iter::repeat_with(|| take(count)).take_while(|&first| first < end);
            firsts.for_each(|first| taken.lock().unwrap().extend(first..end.min(first + count)));
        };
        ranks.deal(&mut |take| {
            if rank as u64 != end % size as u64 {
                thread::scope(|scope| {
                    scope.spawn(|| take_all(1, take));
                    take_all(3, take);
                });
            }
            ControlFlow::Continue(())
        });
        taken.into_inner().unwrap()
    });
    for (end, taken) in [1, 40, 1000].into_iter().zip(deals) {
        let all = ranks.gather(taken.into_iter().flat_map(u64::to_le_bytes).collect()).unwrap().concat();
        let (numbers, _) = all.as_chunks();
        let mut numbers: Vec<u64> = numbers.iter().map(|&bytes| u64::from_le_bytes(bytes)).collect();
        numbers.sort_unstable();
        assert!(rank > 0 || numbers.into_iter().eq(0..end), "{end}");
    }
    world.finish();
}
