//! `countersign login`.

mod verify;

pub(super) use verify::verify;
