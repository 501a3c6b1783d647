//! `countersign login`.

mod list;
mod start;
mod verify;

pub(super) use list::list;
pub(super) use start::start;
pub(super) use verify::verify;
