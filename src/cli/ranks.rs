//! The processes that a launcher of MPI has started together: ranks. Rank 0 speaks and writes. The others only report
//! their own failures, of which the first ends all ranks.

use std::sync::OnceLock;
use std::thread;
use std::time::Duration;

use lacuna::internals::{Alone, Place, Ranks, World, launched, of_machine};

use super::batch::Task;
use super::error::{CliError, usage};
use super::notes::{Notes, tell};
use super::record::Record;
use super::temporary;
use super::threads::Cores;

/// Environment variable for the number of processes of a machine that work as one at most.
const JOINED: &str = "LACUNA_JOINED";

/// The connected processes, if there are several.
static WORLD: OnceLock<Box<dyn World>> = OnceLock::new();

/// The ranks of this machine, if there are several.
static MACHINE: OnceLock<Vec<usize>> = OnceLock::new();

/// The processes that work, if others leave their work to them.
static LEADERS: OnceLock<Box<dyn World>> = OnceLock::new();

/// The processes of this machine that have left their work to this one.
static FOLLOWERS: OnceLock<Vec<usize>> = OnceLock::new();

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
            let machine =
                of_machine(&*world).map_err(|error| CliError::system("several processes", &error))?;
            let _ = (MACHINE.set(machine), WORLD.set(world));
            Ok(())
        }
        Err(error) => {
            let_others_fail(launched.rank);
            Err(error.into())
        }
    }
}

/// The processes that work, if a launcher has started several.
fn working() -> Option<&'static dyn World> {
    LEADERS.get().or_else(|| WORLD.get()).map(|world| &**world)
}

/// The processes of this run; of an ordinary one this process alone.
pub(crate) fn ranks() -> &'static dyn Ranks {
    working().map_or(&Alone, |world| world)
}

/// The place of this process among those of its machine, which divide its devices.
pub(crate) fn place() -> Place {
    let own = WORLD.get().map_or(0, |world| world.rank());
    MACHINE.get().map_or_else(Place::default, |machine| Place::of(own, machine))
}

/// Whether this process speaks and writes.
pub(crate) fn is_root() -> bool {
    ranks().rank() == 0
}

/// Whether this process is one of several.
pub(crate) fn are_several() -> bool {
    ranks().size() > 1
}

/// The number of processes whose threads this one has: its own, and those that have left their work to it.
pub(crate) fn joined() -> usize {
    1 + FOLLOWERS.get().map_or(0, Vec::len)
}

/// Adds the number of ranks to statistics, and what rank 0 has exchanged with the others, if there are several.
pub(crate) fn fill(record: &mut Record) {
    if let Some(world) = working().filter(|_| are_several()) {
        record.set("ranks", world.size()).set("traffic", world.traffic());
    }
}

/// Waits until all ranks are done.
pub(crate) fn finish() {
    if let Some(world) = WORLD.get() {
        FOLLOWERS.get().into_iter().flatten().for_each(|&rank| world.release(rank));
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
        "expected one process, or several of one machine that work as one, found {} that work by themselves: so far, \
         these share the image of `lacuna ecc`, the distances of `lacuna rips`, and several inputs of `lacuna rips`, \
         `cubical` and `ecc`",
        ranks().size()
    ))
}

/// Compares the options of all ranks, and their inputs, if there are several. No rank has written anything before.
///
/// # Errors
/// This rank has others than rank 0, or there is one of several inputs that only rank 0 can read.
pub(crate) fn agree(inputs: &[Task]) -> Result<(), CliError> {
    let ranks = ranks();
    if ranks.size() == 1 {
        return Ok(());
    }
    let options = std::env::args_os().skip(1).map(|argument| format!("{}\n", argument.display()));
    let names = inputs.iter().map(|task| format!("{}\n", task.input.display()));
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
    if inputs.len() > 1 && inputs.iter().any(|task| task.input.as_os_str() == "-") {
        return Err(usage("expected files for several processes, found standard input among several inputs"));
    }
    ranks.sum(&mut [0]);
    Ok(())
}

/// Leaves the work of the processes of a machine to the first of them, their leader, whose threads take the cores of
/// all: threads share memory, and what one leaves to do another takes. From then on the leaders are the ranks. The
/// others wait here until their leader is done, and end. If a leader is not allowed to use the cores of the others,
/// they work, too.
pub(crate) fn join(notes: Option<Notes>) -> Result<(), CliError> {
    let most = joined_at_most()?;
    let (Some(world), Some(machine)) = (WORLD.get(), MACHINE.get()) else { return Ok(()) };
    if most == 1 || !are_several() || LEADERS.get().is_some() {
        return Ok(());
    }
    let exchange = |message: Vec<u8>| {
        let to = |rank| if machine.contains(&rank) { message.clone() } else { Vec::new() };
        let arrived = world.all_to_all((0..world.size()).map(to).collect());
        arrived.map_err(|error| CliError::system("several processes", &error))
    };
    let own = Cores::of_process();
    let all = exchange(serde_json::to_vec(&own).expect("a name and numbers"))?;
    let told =
        |rank: usize| serde_json::from_slice::<Option<Cores>>(&all[rank]).expect("what a rank has sent");
    // The ranks of the machine with the limits of this one.
    let is_alike = |cores: &Cores| own.as_ref().is_some_and(|own| own.group() == cores.group());
    let alike: Vec<(usize, Cores)> =
        machine.iter().filter_map(|&rank| Some((rank, told(rank).filter(is_alike)?))).collect();
    let has_own = |chunk: &&[(usize, Cores)]| chunk.iter().any(|(rank, _)| *rank == world.rank());
    let chunk = alike.chunks(most).find(has_own).unwrap_or_default();
    let leader = chunk.first().map_or(world.rank(), |(leader, _)| *leader);
    let is_leader = leader == world.rank();
    let may_lead = is_leader && Cores::widen(chunk.iter().map(|(_, cores)| cores));
    let may = exchange(vec![may_lead.into()])?;
    let works = is_leader || may[leader] == [0];
    let leaders = world.split(works);
    if !works {
        temporary::let_signals_pass();
        world.wait_aside();
        world.finish();
        std::process::exit(0);
    }
    let _ = LEADERS.set(leaders);
    if let (true, [_, others @ ..]) = (may_lead, chunk) {
        let _ = FOLLOWERS.set(others.iter().map(|(rank, _)| *rank).collect());
    }
    if let Some(notes) = notes.filter(|_| is_root() && machine.len() > 1) {
        if !may_lead || alike.len() < machine.len() {
            notes.note("processes of a machine work by themselves, as none may use the cores of the others");
        }
        if notes.verbose {
            tell(format_args!("process 0 works for {} of its machine", joined()));
        }
    }
    Ok(())
}

/// The number of processes of a machine that work as one at most, which the environment may set.
fn joined_at_most() -> Result<usize, CliError> {
    let Some(told) = std::env::var_os(JOINED) else { return Ok(usize::MAX) };
    let number = told.to_str().and_then(|told| told.trim().parse().ok()).filter(|&number| number > 0);
    number.ok_or_else(|| {
        let found = told.display();
        usage(format_args!(
            "{JOINED}: expected how many processes of a machine work as one, at least 1, found '{found}'"
        ))
    })
}
