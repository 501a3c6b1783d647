//! A file without holes, so that a flush writes nothing but the data.
//!
//! redb makes its file longer without writing to it. The first write to a block then allocates the block,
//! and the flush has to wait for the file system's journal, which other programs write to as well. That
//! takes some milliseconds instead of a fraction of one. This backend therefore writes zeros to a large
//! piece of the file before the first write to it, so that the journal is needed once for all of the
//! piece's blocks.

use std::fs::File;
use std::io;
use std::ops::Bound;
use std::os::unix::fs::FileExt as _;
use std::sync::{Mutex, PoisonError};

use redb::backends::FileBackend;
use redb::{BackendError, DatabaseError, StorageBackend};
use rustix::fs::{SeekFrom, seek};
use rustix::io::Errno;

/// Number of bytes that are filled at a time. Filling them takes about as long as a few flushes.
const PIECE: u64 = 1 << 20;

/// What is written at once: a page. The system caches a larger write as one unit, and flushing a page of
/// such a unit takes longer.
static ZEROS: [u8; 4096] = [0; 4096];

/// A file whose blocks are allocated in pieces.
#[derive(Debug)]
pub(super) struct FilledFile {
    backend: FileBackend,
    file: File,
    /// Number of bytes from the start that are filled, apart from holes of earlier processes. Everything
    /// behind them is a hole.
    filled: Mutex<u64>,
}

impl FilledFile {
    pub(super) fn new(file: File) -> Result<Self, DatabaseError> {
        let filled = end_of_data(&file).map_err(|error| DatabaseError::Storage(error.into()))?;
        let copy = file.try_clone();
        let copy = copy.map_err(|error| DatabaseError::Storage(error.into()))?;
        Ok(Self {
            backend: FileBackend::new(file)?,
            file: copy,
            filled: Mutex::new(filled),
        })
    }

    /// Fills the file up to the end of the piece that contains the byte before `end`. Reports no error,
    /// because without room for zeros there may still be room for the data.
    fn fill(&self, end: u64) {
        let mut filled = self.filled.lock().unwrap_or_else(PoisonError::into_inner);
        if end <= *filled {
            return;
        }
        let Ok(length) = self.backend.len() else {
            return;
        };
        let until = end.next_multiple_of(PIECE).min(length);
        while *filled < until {
            let left = usize::try_from(until - *filled).unwrap_or(usize::MAX);
            let count = left.min(ZEROS.len());
            if self.file.write_all_at(&ZEROS[..count], *filled).is_err() {
                // What is written next lies behind it, so this piece is not tried again.
                *filled = until;
                return;
            }
            *filled += count as u64;
        }
    }
}

/// Returns the end of the last part of a file that is not a hole.
fn end_of_data(file: &File) -> io::Result<u64> {
    let length = file.metadata()?.len();
    let mut end = 0;
    while end < length {
        let data = match seek(file, SeekFrom::Data(end)) {
            Ok(data) => data,
            // There is only a hole left.
            Err(Errno::NXIO) => return Ok(end),
            // The file system does not tell holes from data.
            Err(_) => return Ok(length),
        };
        end = seek(file, SeekFrom::Hole(data))?;
    }
    Ok(length)
}

impl StorageBackend for FilledFile {
    fn len(&self) -> io::Result<u64> {
        self.backend.len()
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.backend.read(offset, out)
    }

    fn set_len(&self, length: u64) -> io::Result<()> {
        let mut filled = self.filled.lock().unwrap_or_else(PoisonError::into_inner);
        self.backend.set_len(length)?;
        *filled = length.min(*filled);
        Ok(())
    }

    fn sync_data(&self) -> io::Result<()> {
        self.backend.sync_data()
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.fill(offset + data.len() as u64);
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
        assert!((3 * piece..length).contains(&allocated(&file)));
        let mut read = [1; 8];
        filled.read(4096, &mut read).unwrap();
        assert_eq!(&read, b"one\0\0\0\0\0");
        filled.read(2 * piece, &mut read).unwrap();
        assert_eq!(&read, b"other\0\0\0");
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
