//! The tables that the benchmark writes into `performance.md`, and the plots next to the page.

use countersign_functions_bench::bench::figures::millis;
use countersign_functions_bench::bench::report::{Measured, Report};
use countersign_report::page::{Figure, Section};
use countersign_report::plot::{Bar, Layout, Plot};

/// Path of the page inside the documentation folder.
pub(crate) const PAGE: &str = "performance.md";

/// Returns the tables and plots of a report.
pub(crate) fn section(report: &Report) -> Section {
    Section {
        name: "functions",
        tables: report.markdown(),
        figures: vec![
            Figure {
                file: "functions-start.svg",
                about: "Cold start: init and first call",
                plot: starts(report),
            },
            Figure {
                file: "functions-cpu.svg",
                about: "Processor time of a warm call",
                plot: processor(report),
            },
        ],
    }
}

fn starts(report: &Report) -> Plot {
    let parts = |measured: &Measured| {
        let starts = &measured.starts;
        vec![
            starts.sample(|start| start.init).median(),
            starts.sample(|start| start.first).median(),
        ]
    };
    Plot {
        title: "Cold start, ms (median)",
        parts: &["init", "first call"],
        layout: Layout::Stacked,
        decimals: 2,
        bars: bars(report, parts),
    }
}

fn processor(report: &Report) -> Plot {
    Plot {
        title: "Processor time of a warm call, ms",
        parts: &["processor time"],
        layout: Layout::Stacked,
        decimals: 2,
        bars: bars(report, |measured| vec![millis(measured.starts.warm_cpu())]),
    }
}

fn bars(report: &Report, parts: impl Fn(&Measured) -> Vec<f64>) -> Vec<Bar> {
    let rows = report.rows.iter();
    rows.map(|measured| Bar {
        label: measured.row.name.clone(),
        parts: parts(measured),
    })
    .collect()
}
