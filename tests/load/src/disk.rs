//! The disk's own limit: one block, flushed again and again by a single writer.

use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::figures::Throughput;

/// Size of a block, in bytes: the size of a page of the store's file.
const BLOCK: usize = 4096;

/// A file to which blocks are appended, over the oldest ones once it is full.
pub(crate) struct Log {
    file: File,
    /// Length of the file, in blocks.
    length: usize,
    /// Index of the next block.
    next: usize,
    /// Contents of the blocks of one call.
    contents: Vec<u8>,
}

impl Log {
    /// Creates the file. Each of its blocks is written once, so that a flush writes the appended blocks
    /// alone.
    pub(crate) fn create(path: &Path, length: usize) -> Self {
        let file = File::create(path).unwrap();
        for index in 0..length {
            file.write_all_at(&[0; BLOCK], offset(index)).unwrap();
        }
        file.sync_all().unwrap();
        Self {
            file,
            length,
            next: 0,
            contents: Vec::new(),
        }
    }

    /// Appends blocks, at most as many as the file has, and flushes them.
    pub(crate) fn append(&mut self, count: usize) {
        if self.next + count > self.length {
            self.next = 0;
        }
        self.contents.resize(count * BLOCK, 1);
        self.file
            .write_all_at(&self.contents, offset(self.next))
            .unwrap();
        self.file.sync_data().unwrap();
        self.next += count;
    }
}

fn offset(index: usize) -> u64 {
    u64::try_from(index * BLOCK).unwrap()
}

/// Overwrites and flushes a block of a file for a time, and returns the duration of each flush.
pub(crate) fn flushes(duration: Duration) -> Throughput {
    let folder = folder();
    let mut log = Log::create(&folder.path().join("flush"), 1);
    let began = Instant::now();
    let mut times = Vec::new();
    while began.elapsed() < duration {
        let before = Instant::now();
        log.append(1);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn full_log_goes_on_at_its_start() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let mut log = Log::create(&path, 4);
        let written = || {
            let bytes = std::fs::read(&path).unwrap();
            let blocks = bytes.chunks(BLOCK).map(|block| block[0]);
            blocks.collect::<Vec<_>>()
        };
        log.append(3);
        assert_eq!(written(), [1, 1, 1, 0]);
        log.append(2);
        assert_eq!((written(), log.next), (vec![1, 1, 1, 0], 2));
        log.append(2);
        assert_eq!((written(), log.next), (vec![1, 1, 1, 1], 4));
    }
}
