//! The function `dispatcher`.

fn main() {}
