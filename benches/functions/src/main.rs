//! Measures every function, the bare interface and a function that uses the AWS SDK with its defaults,
//! and prints the tables. `make bench-functions` builds everything and runs this.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a measurement fails by panicking, and its output is its result"
)]

mod pages;

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Parser;
use countersign_functions_bench::bench::cold::{Limited, Starts, start};
use countersign_functions_bench::bench::machine;
use countersign_functions_bench::bench::quota::{MEMORY, Quota, Share};
use countersign_functions_bench::bench::report::{Measured, Report};
use countersign_functions_bench::bench::rows::{Row, rows};
use countersign_functions_bench::bench::size::Size;
use countersign_functions_bench::services::Services;

/// Number of starts of each row with a share of a core. A start or call that slightly exceeds its share
/// waits for the next period, so a small number of starts would mostly show chance.
const LIMITED_STARTS: usize = 31;

/// Number of such starts for rows that take longer than [`SLOW_MS`] to start: with a share of a core,
/// they take many seconds.
const SLOW_LIMITED_STARTS: usize = 5;
const SLOW_MS: f64 = 25.0;

/// Measures the Lambda functions.
#[derive(Debug, Parser)]
struct Options {
    /// The folder of the built programs
    programs: PathBuf,
    /// Number of starts of each row
    #[arg(long, default_value = "20")]
    rounds: NonZeroUsize,
    /// Number of warm calls of each row
    #[arg(long, default_value = "1000")]
    warm: NonZeroUsize,
    /// The seed of the order, any number but zero
    #[arg(long, default_value_t = std::process::id().into(), value_parser = clap::value_parser!(u64).range(1..))]
    seed: u64,
    /// The rows to measure; all if absent
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    /// The folder whose pages are written, such as `docs`
    #[arg(long)]
    write: Option<PathBuf>,
}

fn main() {
    let options = Options::parse();
    let (mut rows, missing) = rows(&options.programs);
    rows.retain(|row| options.only.is_empty() || options.only.contains(&row.name));
    for row in &missing {
        eprintln!("SKIPPED: row {}: its program is not built", row.name);
    }
    let services = Services::start().expect("loopback can be used");
    let starts = measure_starts(&rows, &services, &options);
    let limited = limits(&rows, &starts, &services, &options);
    if let Err(missing) = &limited {
        eprintln!("SKIPPED: quotas of processor time: {missing}");
    }
    let no_quota = limited.as_ref().err().cloned();
    let limited = limited.unwrap_or_else(|_| vec![Vec::new(); rows.len()]);
    let measured = rows.into_iter().zip(starts).zip(limited);
    let rows = measured.map(|((row, starts), limited)| Measured {
        size: Size::measure(&row.program).ok(),
        row,
        starts,
        limited,
    });
    let report = Report {
        rows: rows.collect(),
        missing,
        no_quota,
        machine: machine::describe(),
        rounds: options.rounds.get(),
        warm: options.warm.get(),
    };
    println!("{}", report.markdown());
    if let Some(folder) = &options.write {
        let page = folder.join(pages::PAGE);
        let written = pages::section(&report).write(&page);
        written.expect("the page can be written");
    }
}

/// Starts every row once per round, in a different order each time, so that disturbances of the machine
/// affect all rows equally. Spreads the warm calls over all rounds.
fn measure_starts(rows: &[Row], services: &Services, options: &Options) -> Vec<Starts> {
    let mut all = vec![Starts::default(); rows.len()];
    let warm = options.warm.get().div_ceil(options.rounds.get());
    let mut shuffle = Shuffle(options.seed);
    eprintln!("seed {}", options.seed);
    for round in 1..=options.rounds.get() {
        eprintln!("round {round} of {}", options.rounds);
        for index in shuffle.order(rows.len()) {
            all[index]
                .0
                .push(start(&rows[index], Share::Whole, services, warm));
        }
    }
    all
}

/// Measures the starts of every row with the CPU time of small functions. Fails if quotas cannot be
/// set, and says what is missing.
fn limits(
    rows: &[Row],
    unlimited: &[Starts],
    services: &Services,
    options: &Options,
) -> Result<Vec<Vec<Limited>>, String> {
    let quotas = MEMORY.map(Quota::for_memory);
    let quotas = quotas.into_iter().collect::<Result<Vec<_>, _>>()?;
    let mut all = vec![vec![Limited::default(); quotas.len()]; rows.len()];
    let mut shuffle = Shuffle(options.seed);
    for round in 0..LIMITED_STARTS {
        for index in shuffle.order(rows.len()) {
            let is_slow = unlimited[index].sample(|start| start.init).median() > SLOW_MS;
            if is_slow && round >= SLOW_LIMITED_STARTS {
                continue;
            }
            for (at, quota) in quotas.iter().enumerate() {
                let start = |share| start(&rows[index], share, services, 0);
                let limited = &mut all[index][at];
                limited.after_init.0.push(start(Share::AfterInit(quota)));
                limited.from_start.0.push(start(Share::FromStart(quota)));
            }
        }
    }
    Ok(all)
}

/// A pseudorandom generator of orders (xorshift).
struct Shuffle(u64);

impl Shuffle {
    fn order(&mut self, count: usize) -> Vec<usize> {
        let mut order: Vec<_> = (0..count).collect();
        for last in (1..count).rev() {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            let below = u64::try_from(last).unwrap_or(u64::MAX) + 1;
            order.swap(last, usize::try_from(self.0 % below).unwrap_or_default());
        }
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_round_has_every_row_in_an_order_of_its_own() {
        let mut shuffle = Shuffle(7);
        let orders: Vec<_> = (0..4).map(|_| shuffle.order(9)).collect();
        for order in &orders {
            let mut sorted = order.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, (0..9).collect::<Vec<_>>());
        }
        assert_ne!(orders[0], orders[1]);
    }
}
