//! The function `acquire`.

fn main() {}
