//! Reads files and user input, with a size limit for each purpose.

use std::fs::File;
use std::io::{self, BufRead, Read};
use std::path::Path;

use crate::failure::Failure;

/// Maximum size of a file with one key or secret, in bytes.
const MAX_KEY_FILE: usize = 64 << 10;

/// Maximum length of a typed line, in bytes.
const MAX_LINE: u64 = 4096;

/// Reads a file, or standard input if its name is `-`. `most` is its maximum size in bytes.
pub(crate) fn read(path: &Path, most: usize) -> Result<Vec<u8>, Failure> {
    let content = if path == Path::new("-") {
        read_at_most(&mut io::stdin().lock(), most)
    } else {
        File::open(path).and_then(|mut file| read_at_most(&mut file, most))
    };
    let cannot = || format!("cannot read {}", path.display());
    let content = content.map_err(|error| Failure::because(cannot(), &error))?;
    content.ok_or_else(|| Failure::new(format!("{}: it has more than {most} bytes", cannot())))
}

/// Reads a file with one key or secret.
pub(crate) fn read_key(path: &Path) -> Result<String, Failure> {
    let content = read(path, MAX_KEY_FILE)?;
    String::from_utf8(content).map_err(|_| Failure::new(format!("{} is not text", path.display())))
}

/// Reads to the end; `None` if the input is larger than `most`.
fn read_at_most(input: &mut dyn Read, most: usize) -> io::Result<Option<Vec<u8>>> {
    let mut content = Vec::new();
    let limit = u64::try_from(most).unwrap_or(u64::MAX).saturating_add(1);
    input.take(limit).read_to_end(&mut content)?;
    Ok((content.len() <= most).then_some(content))
}

/// Reads a typed line; `None` at the end of the input. Returns a longer line as several lines.
pub(crate) fn read_line(input: &mut dyn BufRead) -> Result<Option<String>, Failure> {
    let mut line = String::new();
    let read = input.take(MAX_LINE).read_line(&mut line);
    let read = read.map_err(|error| Failure::because("the terminal", &error))?;
    Ok((read > 0).then_some(line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endless_input_is_not_read() {
        assert!(read(Path::new("/dev/zero"), 1000).is_err());
        assert!(read_key(Path::new("/dev/zero")).is_err());
        let mut endless = io::BufReader::new(io::repeat(b'x'));
        let line = read_line(&mut endless).unwrap().unwrap();
        assert_eq!(line.len() as u64, MAX_LINE);
    }

    #[test]
    fn input_may_be_as_large_as_its_maximum() {
        let mut exact = &b"12345678"[..];
        let content = read_at_most(&mut exact, 8).unwrap();
        assert_eq!(content.as_deref(), Some(&b"12345678"[..]));
        let mut longer = &b"123456789"[..];
        assert_eq!(read_at_most(&mut longer, 8).unwrap(), None);
        let mut lines = &b"one\ntwo"[..];
        assert_eq!(read_line(&mut lines).unwrap().as_deref(), Some("one\n"));
        assert_eq!(read_line(&mut lines).unwrap().as_deref(), Some("two"));
        assert_eq!(read_line(&mut lines).unwrap(), None);
    }
}
