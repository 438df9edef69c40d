//! The processes that a launcher of MPI has started together: ranks. Rank 0 speaks and writes. The others only report
//! their own failures, of which the first ends all ranks.

use std::sync::OnceLock;
use std::thread;
use std::time::Duration;

use lacuna::internals::{Alone, Place, Ranks, World, launched};

use super::batch::Tasks;
use super::error::{CliError, usage};
use super::record::Record;

/// The connected processes, if there are several.
static WORLD: OnceLock<Box<dyn World>> = OnceLock::new();

/// The place of this process among those of its machine, if there are several.
static PLACE: OnceLock<Place> = OnceLock::new();

/// Delay of the message of a failed rank, per rank before it. If all fail for one reason, such as a missing file, the
/// first message is enough: it ends the ranks that still wait.
const TURN: Duration = Duration::from_millis(400);

/// Time in which a launcher takes the message of a failed rank from its pipe. MPICH's closes the pipe as soon as it is
/// asked to end the ranks.
const LAST_WORDS: Duration = Duration::from_millis(200);

/// Longest delay of the message of a failed rank.
const LONGEST: Duration = Duration::from_secs(4);

/// Connects the processes, if a launcher has started several.
pub(crate) fn start() -> Result<(), CliError> {
    let Some(launched) = launched() else { return Ok(()) };
    match lacuna::internals::start(launched) {
        Ok(world) => {
            let place =
                Place::on_machine(&*world).map_err(|error| CliError::system("several processes", &error))?;
            let _ = (PLACE.set(place), WORLD.set(world));
            Ok(())
        }
        Err(error) => {
            let_others_fail(launched.rank);
            Err(error.into())
        }
    }
}

/// The processes of this run; of an ordinary one this process alone.
pub(crate) fn ranks() -> &'static dyn Ranks {
    WORLD.get().map_or(&Alone, |world| &**world)
}

/// The place of this process among those of its machine, which divide its devices.
pub(crate) fn place() -> Place {
    PLACE.get().copied().unwrap_or_default()
}

/// Whether this process speaks and writes.
pub(crate) fn is_root() -> bool {
    ranks().rank() == 0
}

/// Whether this process is one of several.
pub(crate) fn are_several() -> bool {
    ranks().size() > 1
}

/// Adds the number of ranks to statistics, and what rank 0 has exchanged with the others, if there are several.
pub(crate) fn fill(record: &mut Record) {
    if let Some(world) = WORLD.get().filter(|_| are_several()) {
        record.set("ranks", world.size()).set("traffic", world.traffic());
    }
}

/// Waits until all ranks are done.
pub(crate) fn finish() {
    if let Some(world) = WORLD.get() {
        world.finish();
    }
}

/// Waits before a failure is reported, so that a rank with a lower number that fails as well can end this one.
pub(crate) fn let_lower_ranks_fail() {
    let_others_fail(ranks().rank());
}

fn let_others_fail(rank: usize) {
    thread::sleep(TURN.saturating_mul(u32::try_from(rank).unwrap_or(u32::MAX)).min(LONGEST));
}

/// Ends all ranks with this exit code. Returns if this process is alone.
pub(crate) fn abort(code: u8) {
    if let Some(world) = WORLD.get() {
        thread::sleep(LAST_WORDS);
        world.abort(code);
    }
}

/// The error of what several processes would do as often, each by itself.
pub(crate) fn not_shared() -> CliError {
    usage(format_args!(
        "expected one process, found {}: so far, processes share the image of `lacuna ecc`, the distances of `lacuna rips`, \
         and several inputs of `lacuna rips`, `cubical` and `ecc`",
        ranks().size()
    ))
}

/// Divides the inputs of a batch between the ranks, in turn, after all have found the same options and inputs. No rank
/// has written anything before.
///
/// # Errors
/// The ranks have different options or inputs, or one that only rank 0 can read.
pub(crate) fn divide(tasks: &mut Tasks) -> Result<(), CliError> {
    let ranks = ranks();
    if ranks.size() == 1 {
        return Ok(());
    }
    let options = std::env::args_os().skip(1).map(|argument| format!("{}\n", argument.display()));
    let names = tasks.tasks.iter().map(|task| format!("{}\n", task.input.display()));
    let found = options.chain(names).collect::<String>().into_bytes();
    let mut expected = found.clone();
    ranks.broadcast(&mut expected);
    if found != expected {
        return Err(usage(format_args!(
            "expected the options and inputs of process 0, found others on process {}: all processes take the same \
             command and see the same files; LACUNA_MPI=off lets each process run by itself",
            ranks.rank()
        )));
    }
    if tasks.is_batch {
        if tasks.tasks.iter().any(|task| task.input.as_os_str() == "-") {
            return Err(usage(
                "expected files for several processes, found standard input among several inputs",
            ));
        }
        let mut number = 0..;
        tasks
            .tasks
            .retain(|_| number.next().is_some_and(|number: usize| number % ranks.size() == ranks.rank()));
    }
    ranks.sum(&mut [0]);
    Ok(())
}
