//! The operating system: its clock and entropy, two ports that are the same on every host, and files
//! that only their owner may read.

pub mod clock;
pub mod entropy;
pub mod guarded;
pub mod private_files;
