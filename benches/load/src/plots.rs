//! The plots of the comparison.

use countersign_report::page::Figure;
use countersign_report::plot::{Bar, Layout, Plot};

use crate::figures::Times;
use crate::results::{Compared, Results, Texts};

/// Returns the plots of a run.
pub(crate) fn figures(results: &Results) -> Vec<Figure> {
    vec![
        Figure {
            file: "serve-texts.svg",
            about: "Latency of texts: p50 and p99 of the answer and the webhook, beside the empty server",
            plot: texts(&results.texts),
        },
        Figure {
            file: "serve-acquisitions.svg",
            about: "Acquisitions a second, beside the empty server and flushes to disk",
            plot: acquisitions(results),
        },
    ]
}

fn texts(texts: &[Texts]) -> Plot {
    let bars = texts.iter().flat_map(|Texts { rate, latency }| {
        let bar = |what: &str, times: &Times| Bar {
            label: format!("{rate} a second: {what}"),
            parts: [50, 99].map(|percent| times.percentile(percent)).to_vec(),
        };
        [
            bar("empty server", &latency.empty.answered),
            bar("answer, serve", &latency.serve.answered),
            bar("webhook, serve", &latency.serve.webhooks),
        ]
    });
    Plot {
        title: "Latency of texts, ms",
        parts: &["p50", "p99"],
        layout: Layout::Grouped,
        decimals: 2,
        bars: bars.collect(),
    }
}

fn acquisitions(results: &Results) -> Plot {
    let callers = results.callers;
    let bar = |label: String, rate: f64| Bar {
        label,
        parts: vec![rate],
    };
    let Compared { empty, serve } = &results.acquisitions;
    Plot {
        title: "Acquisitions, and flushes to disk",
        parts: &["a second"],
        layout: Layout::Grouped,
        decimals: 0,
        bars: vec![
            bar(format!("empty server, {callers} callers"), empty.rate),
            bar(format!("serve, {callers} callers"), serve.rate),
            bar("flushes, one writer".to_owned(), results.flushes.rate),
        ],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::sample;

    #[test]
    fn texts_have_a_row_for_every_rate_and_stage() {
        let plot = texts(&sample::results().texts);
        let rows: Vec<_> = plot.bars.iter().map(|bar| bar.label.as_str()).collect();
        assert_eq!(
            rows,
            [
                "100 a second: empty server",
                "100 a second: answer, serve",
                "100 a second: webhook, serve",
                "500 a second: empty server",
                "500 a second: answer, serve",
                "500 a second: webhook, serve",
            ]
        );
        let svg = plot.svg();
        for value in ["0.32", "0.39", "1.46", "1.74", "0.75", "3.07"] {
            assert!(svg.contains(&format!(">{value}</text>")), "{value}: {svg}");
        }
    }

    #[test]
    fn acquisitions_stand_beside_the_empty_server() {
        let svg = acquisitions(&sample::results()).svg();
        for text in ["101795", "24600", "9528", "serve, 64 callers"] {
            assert!(svg.contains(&format!(">{text}</text>")), "{text}: {svg}");
        }
    }
}
