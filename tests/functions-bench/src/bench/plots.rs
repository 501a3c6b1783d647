//! Plots as SVG, without a library: horizontal bars.

use std::fmt::Write as _;

/// A bar: its label, and the lengths of its parts.
#[derive(Clone, Debug)]
pub struct Bar {
    /// The label.
    pub label: String,
    /// The length of each part.
    pub parts: Vec<f64>,
}

/// A plot.
#[derive(Clone, Debug)]
pub struct Plot {
    /// The title.
    pub title: &'static str,
    /// The name of each part.
    pub parts: &'static [&'static str],
    /// The bars, from the top.
    pub bars: Vec<Bar>,
}

/// Height of a bar with its gap.
const STEP: f64 = 22.0;
/// Width of the labels.
const LABELS: f64 = 130.0;
/// Width of the longest bar.
const BARS: f64 = 480.0;
/// Height of title and legend.
const HEAD: f64 = 52.0;
/// Colours of the parts, which people with a weakness for colours tell apart as well.
const COLOURS: [&str; 3] = ["#3b6ea5", "#e0a030", "#7a7a7a"];

impl Plot {
    /// Draws the plot.
    #[must_use]
    pub fn svg(&self) -> String {
        let total = |bar: &Bar| bar.parts.iter().sum::<f64>();
        let longest = self
            .bars
            .iter()
            .map(total)
            .fold(0.0, f64::max)
            .max(f64::MIN_POSITIVE);
        #[allow(clippy::cast_precision_loss, reason = "there are few bars")]
        let height = HEAD + STEP * self.bars.len() as f64 + 8.0;
        let width = LABELS + BARS + 90.0;
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
             font-family=\"sans-serif\" font-size=\"12\">\n\
             <rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\n\
             <text x=\"8\" y=\"18\" font-size=\"14\">{}</text>\n",
            self.title
        );
        let mut at = 8.0;
        for (part, colour) in self.parts.iter().zip(COLOURS) {
            let _ = writeln!(
                svg,
                "<rect x=\"{at}\" y=\"28\" width=\"12\" height=\"12\" fill=\"{colour}\"/>\
                 <text x=\"{}\" y=\"38\">{part}</text>",
                at + 16.0
            );
            #[allow(clippy::cast_precision_loss, reason = "names are short")]
            let length = part.len() as f64;
            at += 30.0 + 7.0 * length;
        }
        let mut y = HEAD;
        for bar in &self.bars {
            let _ = writeln!(
                svg,
                "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>",
                LABELS - 8.0,
                y + 13.0,
                bar.label
            );
            let mut x = LABELS;
            for (part, colour) in bar.parts.iter().zip(COLOURS) {
                let length = part / longest * BARS;
                let _ = writeln!(
                    svg,
                    "<rect x=\"{x:.1}\" y=\"{y}\" width=\"{length:.1}\" height=\"16\" fill=\"{colour}\"/>"
                );
                x += length;
            }
            let _ = writeln!(
                svg,
                "<text x=\"{:.1}\" y=\"{}\">{:.2}</text>",
                x + 5.0,
                y + 13.0,
                total(bar)
            );
            y += STEP;
        }
        svg.push_str("</svg>\n");
        svg
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn longest_bar_has_the_full_width() {
        let bar = |label: &str, parts: &[f64]| Bar {
            label: label.to_owned(),
            parts: parts.to_vec(),
        };
        let plot = Plot {
            title: "Start",
            parts: &["init", "first"],
            bars: vec![bar("one", &[1.0, 1.0]), bar("two", &[3.0, 1.0])],
        };
        let svg = plot.svg();
        assert!(svg.contains("width=\"360.0\""), "{svg}");
        assert!(svg.contains("width=\"120.0\""), "{svg}");
        assert!(svg.ends_with("</svg>\n"));
    }
}
