//! Measurements for `make bench-functions`.

pub mod cold;
pub mod figures;
pub mod machine;
pub mod quota;
pub mod report;
pub mod rows;
pub mod size;
