//! Time and chance as the operating system gives them: the two ports that every host fills alike.

pub mod clock;
pub mod entropy;
pub mod guarded;
