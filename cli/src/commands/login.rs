//! `countersign login`.

mod start;
mod verify;

pub(super) use start::start;
pub(super) use verify::verify;
