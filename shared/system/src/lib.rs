//! Clock and entropy of the operating system: the two ports that every host implements alike.

pub mod clock;
pub mod entropy;
pub mod guarded;
