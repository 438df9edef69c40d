//! The launcher of this process, from the environment variables that it sets, and where its MPI is.

use std::env;
use std::fmt;
use std::fs;
#[cfg(unix)]
use std::os::unix::process::parent_id;
use std::path::{Path, PathBuf};

/// The place of this process among those that a launcher has started together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Launched {
    /// The variable from which the launcher is known.
    variable: &'static str,
    /// Number of processes; `None` if the launcher does not say it.
    pub size: Option<usize>,
    /// Number of this process, from 0.
    pub rank: usize,
}

/// The variables of launchers: the number of processes, and of this one. The first pair that is set counts.
///
/// | launcher | variables |
/// |---|---|
/// | `mpirun` of Open MPI | `OMPI_COMM_WORLD_…` |
/// | `mpiexec` of MPICH, Intel MPI and MVAPICH, `aprun`, `srun --mpi=pmi2` | `PMI_…` |
/// | `srun` | `SLURM_STEP_NUM_TASKS`, which a batch script itself does not have |
const VARIABLES: [(&str, &str); 3] = [
    ("OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"),
    ("PMI_SIZE", "PMI_RANK"),
    ("SLURM_STEP_NUM_TASKS", "SLURM_PROCID"),
];

/// The variable of launchers that use PMIx, such as PRRTE's, and do not say how many processes there are.
const PMIX: &str = "PMIX_RANK";

/// Names of libraries, those of the standard's binary interface first, as they suit several launchers.
const LIBRARIES: [&str; 3] = ["libmpi_abi.so.1", "libmpi.so.12", "libmpi.so.40"];

impl fmt::Display for Launched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.size {
            Some(size) => write!(f, "{size} processes were started together ({}={size})", self.variable),
            None => write!(f, "processes were started together ({} is set)", self.variable),
        }
    }
}

/// Place of this process among those that a launcher has started together; `None` without a launcher, if there is one
/// process, and with `LACUNA_MPI=off`.
pub fn launched() -> Option<Launched> {
    launched_by(&|variable| env::var(variable).ok())
}

fn launched_by(read: &dyn Fn(&str) -> Option<String>) -> Option<Launched> {
    if read(super::LIBRARY).is_some_and(|value| value == "off") {
        return None;
    }
    let number = |variable| read(variable).and_then(|value| value.trim().parse::<usize>().ok());
    let told = VARIABLES.iter().find_map(|&(variable, rank)| {
        Some(Launched { variable, size: Some(number(variable)?), rank: number(rank).unwrap_or(0) })
    });
    let told = told.or_else(|| Some(Launched { variable: PMIX, size: None, rank: number(PMIX)? }));
    told.filter(|launched| launched.size != Some(1))
}

impl Launched {
    /// Libraries to be tried, in this order: the one that `LACUNA_MPI` names; else those beside the launcher, then
    /// those that the system finds by name. The launcher is the `mpiexec` in the folder of the parent process, or else
    /// the first of the path.
    pub(super) fn libraries(&self) -> Vec<PathBuf> {
        if let Some(named) = env::var_os(super::LIBRARY).filter(|named| !named.is_empty()) {
            return vec![named.into()];
        }
        let mut names = LIBRARIES;
        if self.variable == VARIABLES[0].0 {
            names.rotate_right(1);
        }
        let path = env::var_os("PATH").unwrap_or_default();
        let parent = fs::read_link(format!("/proc/{}/exe", parent_id())).unwrap_or_default();
        let mut folders = parent.parent().map(Path::to_path_buf).into_iter().chain(env::split_paths(&path));
        let launcher = folders.find(|folder| folder.join("mpiexec").is_file());
        let beside = |name: &str| {
            let library = launcher.as_deref().and_then(Path::parent)?.join("lib").join(name);
            library.is_file().then_some(library)
        };
        names.iter().copied().filter_map(beside).chain(names.iter().map(PathBuf::from)).collect()
    }
}

/// The number of no process: elsewhere processes have no files.
#[cfg(not(unix))]
fn parent_id() -> u32 {
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(variables: &[(&str, &str)]) -> Option<(Option<usize>, usize)> {
        let read = |name: &str| {
            variables.iter().find(|(variable, _)| *variable == name).map(|(_, value)| (*value).to_owned())
        };
        launched_by(&read).map(|launched| (launched.size, launched.rank))
    }

    #[test]
    fn launchers_are_known_by_their_variables() {
        assert_eq!(told(&[]), None);
        assert_eq!(told(&[("PMI_SIZE", "4"), ("PMI_RANK", "3")]), Some((Some(4), 3)));
        let open_mpi = [("OMPI_COMM_WORLD_SIZE", "2"), ("OMPI_COMM_WORLD_RANK", "1"), ("PMIX_RANK", "1")];
        assert_eq!(told(&open_mpi), Some((Some(2), 1)));
        assert_eq!(told(&[("SLURM_STEP_NUM_TASKS", "8"), ("SLURM_PROCID", "5")]), Some((Some(8), 5)));
        assert_eq!(told(&[("PMIX_RANK", "7")]), Some((None, 7)));
    }

    #[test]
    fn one_process_is_alone_and_so_is_one_that_is_told_to_be() {
        assert_eq!(told(&[("PMI_SIZE", "1"), ("PMI_RANK", "0")]), None);
        assert_eq!(told(&[("SLURM_NTASKS", "4"), ("SLURM_JOB_ID", "77")]), None, "a batch script");
        assert_eq!(told(&[("PMI_SIZE", "4"), ("PMI_RANK", "1"), ("LACUNA_MPI", "off")]), None);
        assert_eq!(told(&[("PMI_SIZE", "many")]), None);
    }
}
