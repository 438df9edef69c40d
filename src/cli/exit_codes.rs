//! The exit codes, for the help of every command.

pub(crate) const EXIT_CODES: &str = "\
Exit codes:
  0  success; also when the reader of standard output leaves early;
     of compare: the files hold the same
  1  what this machine cannot do: a full disk, too little memory, threads that
     cannot be started, a GPU that is not there or fails;
     of compare, and there nothing else: the files differ;
     of thin --verify: the topology differs, and the skeleton is written
  2  wrong usage or wrong input: an unknown option, a value out of range,
     a file that cannot be read or is not what it should be, an output
     path that cannot be opened; of several inputs: some have no answer
  3  a signal ended a run that keeps its state (--checkpoint DIR): the same
     command goes on
  4  the time is up (--time-limit): what is done is the answer, if anything is;
     of a command that has its answer as a whole, there is none
  A signal (Ctrl-C) ends a program that keeps no state as always, and leaves no
  temporary files.";
