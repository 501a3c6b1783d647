//! The command line.

use std::path::PathBuf;
use std::time::Duration;

use clap::Parser;

use crate::parsing::Repeated;

/// Duration of each measurement in a smoke run, which only shows that everything works.
const SMOKE: Duration = Duration::from_millis(100);

/// Maximum number of sessions and confirmations in a smoke run.
const SMOKE_COUNT: usize = 50;

/// Measures the speed of `countersign serve` over loopback, beside an HTTP server that does nothing
/// and a flush to disk.
#[derive(Debug, Parser)]
#[command(name = "countersign-load")]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag")]
pub(crate) struct Args {
    /// The server to measure. `make bench` builds and passes it
    #[arg(default_value = "target/release/countersign", value_parser = binary)]
    pub(crate) binary: PathBuf,
    /// Duration of each measurement, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=600))]
    seconds: u32,
    /// Concurrent callers for acquisitions
    #[arg(long, value_name = "COUNT", default_value_t = 64, value_parser = clap::value_parser!(u16).range(1..=240))]
    callers: u16,
    /// Number of sessions with which memory, file size, start and the console are measured; 0 leaves this out
    #[arg(long, value_name = "COUNT", default_value_t = 1_000_000)]
    sessions: usize,
    /// Measure only what is compared with the other server, the disk and the targets
    #[arg(long)]
    pub(crate) only_compare: bool,
    /// Measure only starts of an app while another lists
    #[arg(long, conflicts_with = "only_compare")]
    pub(crate) only_lists: bool,
    /// Measure only the operator's console, over as many confirmations as `--sessions` says
    #[arg(long, conflicts_with_all = ["only_compare", "only_lists"])]
    pub(crate) only_console: bool,
    /// Measure only the `OpenID` provider
    #[arg(long, conflicts_with_all = ["only_compare", "only_lists", "only_console"])]
    pub(crate) only_openid: bool,
    /// Number of times that strangers open the `OpenID` provider's page
    #[arg(long, value_name = "COUNT", default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..))]
    opened: u32,
    /// Number of confirmations that are listed
    #[arg(long, value_name = "COUNT", default_value_t = 20_000, value_parser = clap::value_parser!(u32).range(1..))]
    listed: u32,
    /// Measure everything for an instant: shows that it works, and no speed
    #[arg(long, conflicts_with = "seconds")]
    pub(crate) smoke: bool,
    /// Write the tables of the comparison into a document, between `<!-- serve:begin -->` and
    /// `<!-- serve:end -->`, and its plots into the folder `performance` beside the document
    #[arg(long, value_name = "FILE")]
    pub(crate) write: Option<PathBuf>,
}

impl Args {
    /// Returns the duration of each measurement.
    pub(crate) fn duration(&self) -> Duration {
        if self.smoke {
            SMOKE
        } else {
            Duration::from_secs(self.seconds.into())
        }
    }

    /// Returns the number of confirmations that are listed.
    pub(crate) fn listed(&self) -> usize {
        self.few(usize::try_from(self.listed).unwrap_or(usize::MAX))
    }

    /// Returns the number of times that strangers open the `OpenID` provider's page.
    pub(crate) fn opened(&self) -> usize {
        self.few(usize::try_from(self.opened).unwrap_or(usize::MAX))
    }

    /// Returns the number of sessions with which memory, file size and start are measured.
    pub(crate) fn sessions(&self) -> usize {
        self.few(self.sessions)
    }

    fn few(&self, count: usize) -> usize {
        if self.smoke {
            count.min(SMOKE_COUNT)
        } else {
            count
        }
    }

    /// Returns how often parsing is repeated for each size.
    pub(crate) const fn parsing(&self) -> Repeated {
        if self.smoke {
            Repeated::ONCE
        } else {
            Repeated::FULL
        }
    }

    /// Returns the number of concurrent callers for acquisitions.
    pub(crate) fn callers(&self) -> usize {
        self.callers.into()
    }
}

/// Parses the path of an existing file, so that a typing error is reported before anything runs.
fn binary(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    if path.is_file() {
        Ok(path)
    } else {
        Err("no such file; `make bench` builds the server and measures it".to_owned())
    }
}
