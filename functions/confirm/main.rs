//! The function `confirm`.

fn main() {}
