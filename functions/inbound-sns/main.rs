//! The function `inbound-sns`.

fn main() {}
