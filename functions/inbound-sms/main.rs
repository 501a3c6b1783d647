//! The function `inbound-sms`.

fn main() {}
