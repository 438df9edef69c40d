//! Readers and writers for the file formats of PHAT and DIPHA.
