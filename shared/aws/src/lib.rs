//! AWS: what stands behind the domain's ports there, and what every function is started with.

pub mod store;
