//! The function `well-known`.

fn main() {}
