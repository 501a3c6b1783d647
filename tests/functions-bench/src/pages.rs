//! The pages with the results: the tables of `performance.md` between their markers, and the plots.

use std::io;
use std::path::Path;

use countersign_functions_bench::bench::figures::millis;
use countersign_functions_bench::bench::plots::{Bar, Plot};
use countersign_functions_bench::bench::report::{Measured, Report};

const PAGE: &str = "performance.md";
const BEGIN: &str = "<!-- functions: begin -->";
const END: &str = "<!-- functions: end -->";
const PLOTS: &str = "
![Cold start: init and first call](performance/functions-start.svg)

![Processor time of a warm call](performance/functions-cpu.svg)
";

/// Writes the results into the page and the plots beside it.
///
/// # Errors
/// Fails if the page has no markers, or a file cannot be written.
pub(crate) fn write(report: &Report, folder: &Path) -> io::Result<()> {
    let page = folder.join(PAGE);
    let text = std::fs::read_to_string(&page)?;
    let results = format!("{}{PLOTS}", report.markdown());
    let text = replaced(&text, &results)
        .ok_or_else(|| io::Error::other(format!("{PAGE} lacks {BEGIN} or {END}")))?;
    std::fs::write(&page, text)?;
    let plots = folder.join("performance");
    std::fs::create_dir_all(&plots)?;
    std::fs::write(plots.join("functions-start.svg"), starts(report).svg())?;
    std::fs::write(plots.join("functions-cpu.svg"), processor(report).svg())
}

fn replaced(text: &str, tables: &str) -> Option<String> {
    let (before, rest) = text.split_once(BEGIN)?;
    let (_, after) = rest.split_once(END)?;
    Some(format!("{before}{BEGIN}\n{tables}{END}{after}"))
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
        bars: bars(report, parts),
    }
}

fn processor(report: &Report) -> Plot {
    Plot {
        title: "Processor time of a warm call, ms",
        parts: &["processor time"],
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_between_the_markers_changes() {
        let page = format!("a\n{BEGIN}\nold\n{END}\nb\n");
        let expected = format!("a\n{BEGIN}\nnew\n{END}\nb\n");
        assert_eq!(replaced(&page, "new\n"), Some(expected));
        assert_eq!(replaced("a", "new"), None);
    }
}
