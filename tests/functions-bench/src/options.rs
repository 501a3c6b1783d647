//! The command line.

use std::path::PathBuf;

/// Options of the benchmark.
#[derive(Debug)]
pub(crate) struct Options {
    /// The folder of the built programs.
    pub(crate) programs: PathBuf,
    /// Number of starts of each row.
    pub(crate) rounds: usize,
    /// Number of warm calls of each row.
    pub(crate) warm: usize,
    /// The seed of the order.
    pub(crate) seed: u64,
    /// The rows to measure; all if empty.
    pub(crate) only: Vec<String>,
    /// The folder whose pages are written, such as `docs`.
    pub(crate) write: Option<PathBuf>,
}

const USAGE: &str = "usage: bench-functions PROGRAMS [--rounds 20] [--warm 1000] [--seed N] \
    [--only acquire,bare] [--write docs]";

impl Options {
    /// Reads the options.
    ///
    /// # Errors
    /// Fails with the usage if they are not understood.
    pub(crate) fn read(words: impl IntoIterator<Item = String>) -> Result<Self, String> {
        let mut words = words.into_iter();
        let usage = || USAGE.to_owned();
        let mut options = Self {
            programs: words
                .next()
                .filter(|word| !word.starts_with('-'))
                .ok_or_else(usage)?
                .into(),
            rounds: 20,
            warm: 1000,
            // Any number but zero.
            seed: u64::from(std::process::id()),
            only: Vec::new(),
            write: None,
        };
        while let Some(name) = words.next() {
            let value = words.next().ok_or_else(usage)?;
            let number = || {
                value
                    .parse::<u64>()
                    .ok()
                    .filter(|number| *number > 0)
                    .ok_or_else(usage)
            };
            let count = || usize::try_from(number()?).map_err(|_| usage());
            match name.as_str() {
                "--rounds" => options.rounds = count()?,
                "--warm" => options.warm = count()?,
                "--seed" => options.seed = number()?,
                "--only" => options.only = value.split(',').map(str::to_owned).collect(),
                "--write" => options.write = Some(value.into()),
                _ => return Err(usage()),
            }
        }
        Ok(options)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(words: &[&str]) -> Result<Options, String> {
        Options::read(words.iter().map(|&word| word.to_owned()))
    }

    #[test]
    fn options_are_read() {
        let options = read(&["target/release", "--rounds", "3", "--only", "acquire,bare"]).unwrap();
        assert_eq!(options.rounds, 3);
        assert_eq!(options.warm, 1000);
        assert_eq!(options.only, ["acquire", "bare"]);
    }

    #[test]
    fn other_words_are_answered_with_the_usage() {
        for words in [
            &[][..],
            &["--help"],
            &["x", "--rounds"],
            &["x", "--rounds", "0"],
            &["x", "-q", "1"],
        ] {
            assert_eq!(read(words).unwrap_err(), USAGE);
        }
    }
}
