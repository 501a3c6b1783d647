//! A storage backend that never changes the file below it and keeps all writes in memory.
//!
//! redb writes to every file that it opens, especially after a crash. With this backend a store can be
//! read from a disk that accepts no writes, and be checked without being changed.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::sync::{Mutex, MutexGuard, PoisonError};

use redb::StorageBackend;

/// Size of a page of the overlay, in bytes.
const PAGE: u64 = 4096;

/// The storage below an overlay, which is only read.
pub(super) trait Under: std::fmt::Debug + Send + Sync + 'static {
    fn len(&self) -> io::Result<u64>;
    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()>;
}

impl Under for File {
    fn len(&self) -> io::Result<u64> {
        Ok(self.metadata()?.len())
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.read_exact_at(out, offset)
    }
}

/// A storage with the writes since the overlay was created laid over it.
#[derive(Debug)]
pub(super) struct Overlay<U> {
    under: U,
    over: Mutex<Over>,
}

#[derive(Debug)]
struct Over {
    length: u64,
    /// Number of bytes of the storage below that are still visible: shortening the file hides the rest.
    under_length: u64,
    pages: BTreeMap<u64, Vec<u8>>,
}

impl<U: Under> Overlay<U> {
    pub(super) fn new(under: U) -> io::Result<Self> {
        let length = under.len()?;
        let over = Mutex::new(Over {
            length,
            under_length: length,
            pages: BTreeMap::new(),
        });
        Ok(Self { under, over })
    }

    fn lock(&self) -> MutexGuard<'_, Over> {
        self.over.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns a page with all writes applied. Bytes beyond the end are zero.
    fn page(&self, over: &Over, number: u64) -> io::Result<Vec<u8>> {
        if let Some(page) = over.pages.get(&number) {
            return Ok(page.clone());
        }
        let begin = number * PAGE;
        let there = over.under_length.saturating_sub(begin).min(PAGE);
        let mut page = vec![0; index(PAGE)?];
        self.under.read(begin, &mut page[..index(there)?])?;
        Ok(page)
    }

    /// Calls `visit` for each page that a range touches, with the page's number, the offset within the
    /// page where the range begins, and the part of the range that lies in the page.
    fn each_page(
        offset: u64,
        length: usize,
        mut visit: impl FnMut(u64, usize, std::ops::Range<usize>) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut done = 0;
        while done < length {
            let at = offset + done as u64;
            let within = index(at % PAGE)?;
            let count = (index(PAGE)? - within).min(length - done);
            visit(at / PAGE, within, done..done + count)?;
            done += count;
        }
        Ok(())
    }
}

fn index(number: u64) -> io::Result<usize> {
    usize::try_from(number).map_err(io::Error::other)
}

impl<U: Under> StorageBackend for Overlay<U> {
    fn len(&self) -> io::Result<u64> {
        Ok(self.lock().length)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let over = self.lock();
        if offset + out.len() as u64 > over.length {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Self::each_page(offset, out.len(), |number, within, range| {
            let page = self.page(&over, number)?;
            let count = range.len();
            out[range].copy_from_slice(&page[within..within + count]);
            Ok(())
        })
    }

    fn set_len(&self, length: u64) -> io::Result<()> {
        let mut over = self.lock();
        if length < over.length {
            over.under_length = over.under_length.min(length);
            over.pages.retain(|number, _| number * PAGE < length);
            if let Some(page) = over.pages.get_mut(&(length / PAGE)) {
                page[index(length % PAGE)?..].fill(0);
            }
        }
        over.length = length;
        Ok(())
    }

    fn sync_data(&self) -> io::Result<()> {
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        let mut over = self.lock();
        Self::each_page(offset, data.len(), |number, within, range| {
            let mut page = self.page(&over, number)?;
            page[within..within + range.len()].copy_from_slice(&data[range]);
            over.pages.insert(number, page);
            Ok(())
        })?;
        over.length = over.length.max(offset + data.len() as u64);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use countersign_conformance::chance::Chance;

    use super::*;

    /// Compares the overlay with a plain vector under random reads, writes and changes of length.
    #[test]
    fn writes_are_read_back_and_the_file_below_is_unchanged() {
        let mut luck = Chance::of(11);
        let below: Vec<u8> = (0..30_000_u32).map(|n| n.to_be_bytes()[3]).collect();
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&below).unwrap();
        let overlay = Overlay::new(file.try_clone().unwrap()).unwrap();
        let mut expected = below.clone();
        for _ in 0..2000 {
            let offset = usize::try_from(luck.below(40_000)).unwrap();
            match luck.below(4) {
                0 => {
                    overlay.set_len(offset as u64).unwrap();
                    expected.resize(offset, 0);
                }
                1 | 2 => {
                    let count = usize::try_from(luck.below(9000)).unwrap();
                    let data = vec![luck.bytes::<1>()[0]; count];
                    let end = expected.len().max(offset + count);
                    expected.resize(end, 0);
                    expected[offset..offset + count].copy_from_slice(&data);
                    overlay.set_len(end as u64).unwrap();
                    overlay.write(offset as u64, &data).unwrap();
                }
                _ => {
                    let mut all = vec![1; expected.len()];
                    overlay.read(0, &mut all).unwrap();
                    assert!(all == expected);
                    assert!(overlay.read(1, &mut all).is_err() || all.is_empty());
                }
            }
            assert_eq!(overlay.len().unwrap(), expected.len() as u64);
        }
        let mut still = vec![0; below.len()];
        file.read_exact_at(&mut still, 0).unwrap();
        assert!(still == below);
    }
}
