//! The limit of the disk itself: one block that a single writer flushes again and again.

use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::time::{Duration, Instant};

use crate::figures::Throughput;

/// Block size in bytes: the page size of the store's file.
const BLOCK: usize = 4096;

/// Overwrites and flushes a block of a file for the given duration, and returns the duration of
/// each flush.
pub(crate) fn flushes(duration: Duration) -> Throughput {
    let folder = folder();
    let file = File::create(folder.path().join("flush")).unwrap();
    let began = Instant::now();
    let mut times = Vec::new();
    while began.elapsed() < duration {
        let before = Instant::now();
        file.write_all_at(&[1; BLOCK], 0).unwrap();
        file.sync_data().unwrap();
        times.push(before.elapsed());
    }
    Throughput::new(times, began.elapsed())
}

/// Creates a folder on the disk that holds the build. The system's folder for temporary files is often in
/// memory, where a flush costs nothing.
pub(crate) fn folder() -> tempfile::TempDir {
    tempfile::tempdir_in("target")
        .or_else(|_| tempfile::tempdir())
        .unwrap()
}
