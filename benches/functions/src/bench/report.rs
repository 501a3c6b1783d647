//! The tables.

use std::fmt::Write as _;

use countersign_report::table;

use super::cold::{Limited, Starts};
use super::figures::{mebibytes, millis};
use super::quota::MEMORY;
use super::rows::Row;
use super::size::Size;

/// All figures of a row.
#[derive(Clone, Debug)]
pub struct Measured {
    pub row: Row,
    /// Processes without a quota.
    pub starts: Starts,
    pub size: Option<Size>,
    /// Processes limited to the CPU time of each size in [`MEMORY`].
    pub limited: Vec<Limited>,
}

/// All measurements.
#[derive(Clone, Debug)]
pub struct Report {
    pub rows: Vec<Measured>,
    /// Rows whose program is not built.
    pub missing: Vec<Row>,
    /// The reason why no quota could be set, if it could not.
    pub no_quota: Option<String>,
    pub machine: String,
    /// Number of processes started for each row.
    pub rounds: usize,
    /// Number of warm calls of each row.
    pub warm: usize,
}

impl Report {
    /// Writes the report as Markdown.
    #[must_use]
    pub fn markdown(&self) -> String {
        let mut text = String::new();
        let _ = writeln!(
            text,
            "Medians of {} starts of each row, in shuffled rounds, and of {} warm calls. {}.\n",
            self.rounds, self.warm, self.machine
        );
        self.times(&mut text);
        self.sizes(&mut text);
        self.quotas(&mut text);
        self.gaps(&mut text);
        text
    }

    fn times(&self, text: &mut String) {
        *text += &table::head([
            "Row",
            "init, ms",
            "first, ms",
            "second, ms",
            "warm p50, ms",
            "warm p99, ms",
            "init + first CPU, ms",
            "warm CPU, ms",
        ]);
        for measured in &self.rows {
            let starts = &measured.starts;
            let warm = starts.warm();
            *text += &table::row([
                measured.row.name.clone(),
                format!("{:.1}", starts.sample(|start| start.init).median()),
                format!("{:.2}", starts.sample(|start| start.first).median()),
                format!("{:.2}", starts.sample(|start| start.second).median()),
                format!("{:.2}", warm.median()),
                format!("{:.2}", millis(warm.percentile(99).unwrap_or_default())),
                format!("{:.1}", starts.sample(|start| start.start_cpu).median()),
                format!("{:.3}", millis(starts.warm_cpu())),
            ]);
        }
    }

    fn sizes(&self, text: &mut String) {
        text.push('\n');
        *text += &table::head([
            "Row",
            "RSS, MiB",
            "program, MiB",
            "zipped, MiB",
            "what it is",
        ]);
        for measured in &self.rows {
            let size = |of: fn(&Size) -> u64| {
                let size = measured.size.as_ref();
                size.map_or_else(String::new, |size| format!("{:.2}", mebibytes(of(size))))
            };
            *text += &table::row([
                measured.row.name.clone(),
                format!("{:.1}", mebibytes(measured.starts.memory())),
                size(|size| size.plain),
                size(|size| size.zipped),
                measured.row.about.to_owned(),
            ]);
        }
    }

    fn quotas(&self, text: &mut String) {
        if self.no_quota.is_some() {
            return;
        }
        let columns = MEMORY.map(|memory| {
            [
                format!("{memory} MB after init: first p50, ms"),
                "p90, ms".to_owned(),
            ]
        });
        self.limited(text, columns.into_iter().flatten(), |limited| {
            first(&limited.after_init).to_vec()
        });
        let columns = MEMORY.map(|memory| {
            let init = format!("{memory} MB from the start: init, ms");
            [init, "first p50, ms".to_owned(), "p90, ms".to_owned()]
        });
        self.limited(text, columns.into_iter().flatten(), |limited| {
            let starts = &limited.from_start;
            let init = starts.sample(|start| start.init).median();
            let [median, high] = first(starts);
            vec![format!("{init:.1}"), median, high]
        });
    }

    /// Writes a table of each row's times with the CPU time of each size in [`MEMORY`].
    fn limited(
        &self,
        text: &mut String,
        columns: impl Iterator<Item = String>,
        times: impl Fn(&Limited) -> Vec<String>,
    ) {
        text.push('\n');
        *text += &table::head(["Row".to_owned()].into_iter().chain(columns));
        for measured in &self.rows {
            let times = measured.limited.iter().flat_map(&times);
            *text += &table::row([measured.row.name.clone()].into_iter().chain(times));
        }
    }

    /// Lists what could not be measured.
    fn gaps(&self, text: &mut String) {
        let mut gaps: Vec<_> = self
            .missing
            .iter()
            .map(|row| format!("row `{}`: its program is not built", row.name))
            .collect();
        let no_quota = self.no_quota.iter();
        gaps.extend(no_quota.map(|missing| format!("quotas of processor time: {missing}")));
        if !gaps.is_empty() {
            text.push_str("\nNot measured, for lack of:\n\n");
        }
        for gap in gaps {
            let _ = writeln!(text, "- {gap}");
        }
    }
}

/// Returns the median of the first call and its 90th percentile, in milliseconds.
fn first(starts: &Starts) -> [String; 2] {
    let first = starts.sample(|start| start.first);
    [50, 90].map(|percent| {
        let time = first.percentile(percent).unwrap_or_default();
        format!("{:.2}", millis(time))
    })
}
