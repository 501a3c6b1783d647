//! Sizes of the uploaded programs.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use flate2::Compression;
use flate2::write::DeflateEncoder;

/// Size of a program, as it is and in an archive.
#[derive(Clone, Copy, Debug, Default)]
pub struct Size {
    /// Size of the file, in bytes.
    pub plain: u64,
    /// Size with the best deflate compression, as in a ZIP archive, in bytes.
    pub zipped: u64,
}

impl Size {
    /// Measures a file.
    ///
    /// # Errors
    /// Fails if it cannot be read.
    pub fn measure(path: &Path) -> io::Result<Self> {
        let bytes = fs::read(path)?;
        let mut encoder = DeflateEncoder::new(Counter::default(), Compression::best());
        encoder.write_all(&bytes)?;
        Ok(Self {
            plain: bytes.len() as u64,
            zipped: encoder.finish()?.0,
        })
    }
}

#[derive(Default)]
struct Counter(u64);

impl Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
