//! Writing log lines, with or without a reader.

use std::io::{ErrorKind, Write};
use std::thread;
use std::time::Duration;

use super::backlog::Backlog;

/// Pause before retrying when standard error is non-blocking and full.
const RETRY_PAUSE: Duration = Duration::from_millis(50);

/// Writes batches of lines.
pub(super) struct Writer<W> {
    out: W,
    batch: Vec<u8>,
    /// Whether the last write ended in the middle of a line.
    torn: bool,
}

impl<W: Write> Writer<W> {
    pub(super) fn new(out: W) -> Self {
        Self {
            out,
            batch: Vec::new(),
            torn: false,
        }
    }

    /// Waits for the next batch and writes it.
    pub(super) fn write_next(&mut self, backlog: &Backlog) {
        self.batch.clear();
        let lost = backlog.take(&mut self.batch);
        if lost > 0 {
            // Follows this batch; the backlog was just emptied, so there is room.
            tracing::warn!(
                lines = lost,
                "log lines were dropped because nobody read them"
            );
        }
        backlog.written_but(self.write_batch());
    }

    /// Writes the batch and returns how many of its lines were dropped.
    fn write_batch(&mut self) -> u64 {
        if self.torn && !self.batch.is_empty() && self.out.write(b"\n").is_ok() {
            self.torn = false;
        }
        let mut rest = self.batch.as_slice();
        while !rest.is_empty() {
            match self.out.write(rest) {
                Ok(0) => break,
                Ok(count) => {
                    self.torn = rest.get(count - 1) != Some(&b'\n');
                    rest = rest.get(count..).unwrap_or_default();
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => thread::sleep(RETRY_PAUSE),
                Err(_) => break,
            }
        }
        let lost = rest.split_inclusive(|byte| *byte == b'\n').count();
        u64::try_from(lost).unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    /// Accepts `room` bytes, then fails until it gets more room.
    struct Faulty {
        taken: Vec<u8>,
        room: usize,
    }

    impl Write for Faulty {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            if self.room == 0 {
                return Err(ErrorKind::BrokenPipe.into());
            }
            let count = bytes.len().min(self.room);
            self.room -= count;
            self.taken.extend_from_slice(&bytes[..count]);
            Ok(count)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn unwritable_lines_are_counted_and_later_ones_start_on_a_new_line() {
        let mut writer = Writer::new(Faulty {
            taken: Vec::new(),
            room: 7,
        });
        writer.batch = b"one\ntwo two\nthree\n".to_vec();
        assert_eq!(writer.write_batch(), 2);
        writer.batch = b"four\n".to_vec();
        assert_eq!(writer.write_batch(), 1);
        writer.out.room = 100;
        writer.batch = b"five\n".to_vec();
        assert_eq!(writer.write_batch(), 0);
        assert_eq!(writer.out.taken, b"one\ntwo\nfive\n");
    }
}
