//! The figures as Markdown, for the terminal and for the documentation.

use std::fmt::Write as _;

use countersign_report::page::Section;
use countersign_report::table;

use crate::figures::{Times, millis};
use crate::plots;
use crate::results::{Judged, Results};
use crate::sessions;

/// Returns the tables and plots of a run.
pub(crate) fn section(results: &Results) -> Section {
    Section {
        name: "serve",
        tables: tables(results),
        figures: plots::figures(results),
    }
}

/// Formats the figures of a run as tables.
fn tables(results: &Results) -> String {
    let mut text = format!("Measured on {}.\n\n", results.machine);
    text += &table::head(["", "`serve`", "empty server", "target", "met"]);
    for judged in results.judged() {
        text += &row(&judged);
    }
    text += "\nThe empty server reads the same requests and answers with the same bytes, without any work.";
    let _ = write!(
        text,
        " One writer flushed 4 KiB to disk {:.0} times a second.\n\n",
        results.flushes.rate
    );
    text += &table::head(["Times", "count", "p50 ms", "p99 ms", "longest ms"]);
    text += &times(
        "a flush of 4 KiB to disk, one writer",
        &results.flushes.times,
    );
    let acquisitions = &results.acquisitions;
    text += &times("acquisition, empty server", &acquisitions.empty.times);
    text += &times("acquisition, `serve`", &acquisitions.serve.times);
    for texts in &results.texts {
        let (rate, latency) = (texts.rate, &texts.latency);
        let mut line = |what: &str, of: &Times| {
            text += &times(&format!("{rate} texts a second: {what}"), of);
        };
        line("answer, empty server", &latency.empty.answered);
        line("answer, `serve`", &latency.serve.answered);
        line("webhook, `serve`", &latency.serve.webhooks);
    }
    if let Some(figures) = &results.sessions {
        text += &many(figures);
    }
    text
}

fn row(judged: &Judged) -> String {
    let (target, met) = judged.below.map_or_else(Default::default, |(bound, unit)| {
        let met = if judged.value < bound { "yes" } else { "no" };
        (format!("below {bound} {unit}"), met)
    });
    table::row([&judged.what, &judged.serve, &judged.empty, &target, met])
}

fn times(what: &str, times: &Times) -> String {
    let [median, high, longest] = [50, 99, 100].map(|percent| times.percentile(percent));
    table::row([
        what.to_owned(),
        times.count().to_string(),
        format!("{median:.2}"),
        format!("{high:.2}"),
        format!("{longest:.2}"),
    ])
}

fn many(figures: &sessions::Figures) -> String {
    let sessions::Figures {
        count,
        rate,
        filled,
        file,
        stopped,
        killed,
    } = figures;
    let mut text = format!("\n{}", table::head([&format!("{count} sessions"), ""]));
    let mut line = |what: &str, figure: &str| text += &table::row([what, figure]);
    line("begun a second, through the API", &format!("{rate:.0}"));
    line("size of the store's file", &format!("{file:.0} MiB"));
    line(
        "resident memory (most until then)",
        &format!("{:.1} MiB ({:.1})", filled.now, filled.peak),
    );
    for (after, start) in [("a stop", stopped), ("a kill", killed)] {
        let figures = format!(
            "{:.0} ms; first acquisition {:.1} ms; resident memory {:.1} MiB ({:.1})",
            millis(start.healthy),
            millis(start.first),
            start.memory.now,
            start.memory.peak
        );
        line(&format!("start after {after}"), &figures);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::sample;

    #[test]
    fn tables_show_targets_times_and_sessions() {
        let tables = tables(&sample::results());
        for line in [
            "|  | `serve` | empty server | target | met |",
            "| acquisitions a second, 64 callers | 24600 | 101795 |  |  |",
            "| text to webhook, p99, 100 texts a second | 1.74 ms | 0.39 ms | below 5 ms | yes |",
            "| resident memory after 1000000 sessions | 27.8 MiB |  | below 40 MiB | yes |",
            "| Times | count | p50 ms | p99 ms | longest ms |",
            "| a flush of 4 KiB to disk, one writer | 4 | 0.10 | 0.17 | 0.17 |",
            "| 500 texts a second: webhook, `serve` | 4 | 0.89 | 3.07 | 3.07 |",
            "| 1000000 sessions |  |",
            "| resident memory (most until then) | 27.8 MiB (28.0) |",
        ] {
            assert!(
                tables.lines().any(|found| found == line),
                "{line}: {tables}"
            );
        }
    }
}
