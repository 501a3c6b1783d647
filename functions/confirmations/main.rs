//! The function `confirmations`.

fn main() {}
