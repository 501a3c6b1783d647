#![allow(clippy::unwrap_used, reason = "a test stops where its premise fails")]

mod guard;
mod system;
