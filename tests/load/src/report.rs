//! The figures as Markdown, for the terminal and for the documentation.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::Path;

use crate::figures::{Times, millis};
use crate::results::{Judged, Results, Target};
use crate::sessions;

/// Marks the start of what this program writes in a document.
const BEGIN: &str = "<!-- serve:begin -->";
/// Marks its end.
const END: &str = "<!-- serve:end -->";

/// Formats the figures of a run as tables.
pub(crate) fn tables(results: &Results) -> String {
    let mut text = format!("Measured on {}.\n\n", results.machine);
    text += "| | `serve` | floor in the same run | ratio | target | met |\n";
    text += "|---|---|---|---|---|---|\n";
    for judged in results.judged() {
        text += &row(&judged);
    }
    text += "\nThe floor is an HTTP server that reads the same requests and answers with the same bytes, \
             without any work.\n\n";
    text += "| Times | count | p50 ms | p99 ms | longest ms |\n";
    text += "|---|---|---|---|---|\n";
    text += &times("a flush of 4 KiB to disk, one writer", &results.flushes);
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
    let Judged {
        what,
        serve,
        floor,
        value,
        target,
    } = judged;
    let (ratio, bound) = match target {
        Target::AtLeast(bound) => (format!("{value:.2}"), format!("at least {bound}")),
        Target::AtMost(bound) => (format!("{value:.2}"), format!("at most {bound}")),
        Target::Below(bound, unit) => (String::new(), format!("below {bound} {unit}")),
    };
    let met = if target.is_met_by(*value) {
        "yes"
    } else {
        "no"
    };
    format!("| {what} | {serve} | {floor} | {ratio} | {bound} | {met} |\n")
}

fn times(what: &str, times: &Times) -> String {
    let [median, high, longest] = [50, 99, 100].map(|percent| times.percentile(percent));
    let count = times.count();
    format!("| {what} | {count} | {median:.2} | {high:.2} | {longest:.2} |\n")
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
    let mut text = format!("\n| {count} sessions | |\n|---|---|\n");
    let _ = writeln!(text, "| begun a second, through the API | {rate:.0} |");
    let _ = writeln!(text, "| size of the store's file | {file:.0} MiB |");
    let _ = writeln!(
        text,
        "| resident memory (most until then) | {:.1} MiB ({:.1}) |",
        filled.now, filled.peak
    );
    for (after, start) in [("a stop", stopped), ("a kill", killed)] {
        let _ = writeln!(
            text,
            "| start after {after} | {:.0} ms; first acquisition {:.1} ms; resident memory {:.1} MiB \
             ({:.1}) |",
            millis(start.healthy),
            millis(start.first),
            start.memory.now,
            start.memory.peak
        );
    }
    text
}

/// Replaces what stands between the marks in a document.
pub(crate) fn write(path: &Path, tables: &str) -> io::Result<()> {
    let document = fs::read_to_string(path)?;
    let replaced = replace(&document, tables)
        .ok_or_else(|| io::Error::other(format!("{} lacks {BEGIN} or {END}", path.display())))?;
    fs::write(path, replaced)
}

fn replace(document: &str, tables: &str) -> Option<String> {
    let (before, rest) = document.split_once(BEGIN)?;
    let (_, after) = rest.split_once(END)?;
    Some(format!(
        "{before}{BEGIN}\n{}\n{END}{after}",
        tables.trim_end()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_stands_between_the_marks_is_replaced() {
        let document = format!("# Title\n{BEGIN}\nold\n{END}\nrest\n");
        let expected = format!("# Title\n{BEGIN}\nnew\n{END}\nrest\n");
        assert_eq!(replace(&document, "new\n"), Some(expected));
        assert_eq!(replace("no marks", "new"), None);
    }
}
