//! A file without holes where it is written, so that a flush writes nothing but the data.
//!
//! redb makes its file longer without writing to it. The first write to a block then allocates the block,
//! and the flush has to wait for the file system's journal, which other programs write to as well. That
//! takes some milliseconds instead of a fraction of one. This backend therefore writes zeros to the holes
//! of a large piece of the file before the first write to it, so that the journal is needed once for all of
//! the piece's blocks. redb may write to any piece of a longer file first, and the others stay holes.

use std::collections::BTreeSet;
use std::fs::File;
use std::io;
use std::ops::{Bound, Range};
use std::os::unix::fs::FileExt as _;
use std::sync::{Mutex, MutexGuard, PoisonError};

use redb::backends::FileBackend;
use redb::{BackendError, DatabaseError, StorageBackend};
use rustix::fs::{SeekFrom, seek};
use rustix::io::Errno;

/// Number of bytes that are filled at a time. Filling them takes about as long as a few flushes.
const PIECE: u64 = 1 << 20;

/// Number of bytes that are written at once: a page. The system caches a larger write as one unit, and
/// flushing a page of such a unit takes longer.
const PAGE: usize = 4096;

static ZEROS: [u8; PAGE] = [0; PAGE];

/// A file whose blocks are allocated in pieces.
#[derive(Debug)]
pub(super) struct FilledFile {
    backend: FileBackend,
    file: File,
    /// The pieces that need no further look.
    filled: Mutex<BTreeSet<u64>>,
}

impl FilledFile {
    pub(super) fn new(file: File) -> Result<Self, DatabaseError> {
        let copy = file.try_clone();
        let copy = copy.map_err(|error| DatabaseError::Storage(error.into()))?;
        Ok(Self {
            backend: FileBackend::new(file)?,
            file: copy,
            filled: Mutex::default(),
        })
    }

    /// Fills the pieces that a write touches. Reports no error, because without room for zeros there may
    /// still be room for the data.
    fn fill(&self, offset: u64, length: usize) {
        let end = offset + length as u64;
        let mut filled = self.locked();
        for piece in offset / PIECE..end.div_ceil(PIECE) {
            if filled.insert(piece) {
                // A piece without room for zeros is not tried again.
                let _ = self.fill_piece(piece);
            }
        }
    }

    fn fill_piece(&self, piece: u64) -> io::Result<()> {
        let begin = piece * PIECE;
        let end = (begin + PIECE).min(self.backend.len()?);
        let mut at = begin;
        while at < end {
            let data = match seek(&self.file, SeekFrom::Data(at)) {
                Ok(data) => data.min(end),
                // There is only a hole left.
                Err(Errno::NXIO) => end,
                Err(error) => return Err(error.into()),
            };
            self.fill_hole(at..data)?;
            if data == end {
                break;
            }
            at = seek(&self.file, SeekFrom::Hole(data))?;
        }
        Ok(())
    }

    /// Writes zeros to a hole. A page that reads otherwise stays as it is, in case the file system is
    /// wrong about the hole.
    fn fill_hole(&self, hole: Range<u64>) -> io::Result<()> {
        let mut present = [0; PAGE];
        let mut at = hole.start;
        while at < hole.end {
            let left = usize::try_from(hole.end - at).unwrap_or(PAGE);
            let count = left.min(PAGE);
            self.file.read_exact_at(&mut present[..count], at)?;
            if present[..count] == ZEROS[..count] {
                self.file.write_all_at(&ZEROS[..count], at)?;
            }
            at += count as u64;
        }
        Ok(())
    }

    fn locked(&self) -> MutexGuard<'_, BTreeSet<u64>> {
        self.filled.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl StorageBackend for FilledFile {
    fn len(&self) -> io::Result<u64> {
        self.backend.len()
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.backend.read(offset, out)
    }

    fn set_len(&self, length: u64) -> io::Result<()> {
        let mut filled = self.locked();
        let before = self.backend.len()?;
        self.backend.set_len(length)?;
        // What lies behind the shorter of the two lengths is a hole now, or will be one.
        let first = length.min(before) / PIECE;
        filled.retain(|piece| *piece < first);
        Ok(())
    }

    fn sync_data(&self) -> io::Result<()> {
        self.backend.sync_data()
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.fill(offset, data.len());
        self.backend.write(offset, data)
    }

    fn close(&self) -> io::Result<()> {
        self.backend.close()
    }

    fn try_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.backend.try_lock_range(start, end)
    }

    fn try_lock_shared_range(
        &self,
        start: Bound<u64>,
        end: Bound<u64>,
    ) -> Result<bool, BackendError> {
        self.backend.try_lock_shared_range(start, end)
    }

    fn lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.backend.lock_range(start, end)
    }

    fn lock_shared_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.backend.lock_shared_range(start, end)
    }

    fn unlock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.backend.unlock_range(start, end)
    }

    fn query_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.backend.query_lock_range(start, end)
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::MetadataExt as _;

    use super::*;

    fn allocated(file: &File) -> u64 {
        file.metadata().unwrap().blocks() * 512
    }

    #[test]
    fn first_write_to_a_piece_allocates_all_of_it() {
        let file = tempfile::tempfile().unwrap();
        let filled = FilledFile::new(file.try_clone().unwrap()).unwrap();
        let (piece, length) = (PIECE, 4 * PIECE);
        filled.set_len(length).unwrap();
        assert!(allocated(&file) < piece);
        filled.write(4096, b"one").unwrap();
        assert!((piece..2 * piece).contains(&allocated(&file)));
        filled.write(2 * piece, b"other").unwrap();
        assert!((2 * piece..3 * piece).contains(&allocated(&file)));
        let mut read = [1; 8];
        filled.read(4096, &mut read).unwrap();
        assert_eq!(&read, b"one\0\0\0\0\0");
        filled.read(2 * piece, &mut read).unwrap();
        assert_eq!(&read, b"other\0\0\0");
    }

    #[test]
    fn write_at_the_end_of_a_long_file_fills_no_other_piece() {
        let file = tempfile::tempfile().unwrap();
        let filled = FilledFile::new(file.try_clone().unwrap()).unwrap();
        let length = 64 * PIECE + 5;
        filled.set_len(length).unwrap();
        filled.write(length - 3, b"end").unwrap();
        filled.write(length - PIECE, b"crosses a border").unwrap();
        assert!(allocated(&file) < 3 * PIECE);
    }

    #[test]
    fn piece_at_the_end_is_filled_again_once_the_file_is_longer() {
        let file = tempfile::tempfile().unwrap();
        let filled = FilledFile::new(file.try_clone().unwrap()).unwrap();
        filled.set_len(PIECE / 4).unwrap();
        filled.write(0, b"one").unwrap();
        assert!(allocated(&file) < PIECE / 2);
        filled.set_len(PIECE).unwrap();
        filled.write(PIECE / 2, b"other").unwrap();
        assert!(allocated(&file) >= PIECE);
        let mut read = [1; 3];
        filled.read(0, &mut read).unwrap();
        assert_eq!(&read, b"one");
    }

    #[test]
    fn holes_that_an_earlier_process_left_are_filled() {
        let file = tempfile::tempfile().unwrap();
        file.set_len(PIECE).unwrap();
        file.write_all_at(b"kept", PIECE / 2).unwrap();
        let filled = FilledFile::new(file.try_clone().unwrap()).unwrap();
        filled.write(0, b"new").unwrap();
        assert!(allocated(&file) >= PIECE);
        let mut read = [1; 4];
        filled.read(PIECE / 2, &mut read).unwrap();
        assert_eq!(&read, b"kept");
    }

    #[test]
    fn data_of_an_earlier_process_stays() {
        let file = tempfile::tempfile().unwrap();
        let (piece, length) = (PIECE, 8 * PIECE);
        file.set_len(length).unwrap();
        file.write_all_at(b"kept", 3 * piece).unwrap();
        let filled = FilledFile::new(file.try_clone().unwrap()).unwrap();
        for offset in [0, piece, 3 * piece + 4096, 5 * piece, length - 3] {
            filled.write(offset, b"new").unwrap();
        }
        let mut read = [1; 4];
        filled.read(3 * piece, &mut read).unwrap();
        assert_eq!(&read, b"kept");
        filled.set_len(piece).unwrap();
        filled.set_len(length).unwrap();
        filled.read(3 * piece, &mut read).unwrap();
        assert_eq!(read, [0; 4]);
        filled.write(3 * piece, b"back").unwrap();
        filled.read(3 * piece, &mut read).unwrap();
        assert_eq!(&read, b"back");
        assert_eq!(filled.len().unwrap(), length);
    }
}
