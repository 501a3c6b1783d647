//! One machine: what stands behind the domain's ports when there is no cloud. Sessions, apps and
//! keys in one redb file, a signing key in a PEM file, and a queue in the process's memory.

pub mod keys;
pub mod places;
pub mod private_files;
pub mod push;
pub mod queue;
mod record;
pub mod space;
pub mod store;
