//! Horizontal bar charts as SVG, without a library.

use std::fmt::Write as _;

/// A labelled row of bars.
#[derive(Clone, Debug)]
pub struct Bar {
    pub label: String,
    /// The length of each part.
    pub parts: Vec<f64>,
}

/// The arrangement of the bars in a row.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Layout {
    /// One bar that consists of all parts, labeled with their sum.
    Stacked,
    /// One bar per part, below each other, each with its value.
    Grouped,
}

#[derive(Clone, Debug)]
pub struct Plot {
    /// The title, including the unit.
    pub title: &'static str,
    /// The name of each part.
    pub parts: &'static [&'static str],
    /// The arrangement of the parts.
    pub layout: Layout,
    /// Number of decimal places in the values.
    pub decimals: usize,
    /// The rows, from top to bottom.
    pub bars: Vec<Bar>,
}

/// Height of a bar.
const BAR: f64 = 16.0;
/// Gap below a row.
const GAP: f64 = 6.0;
/// Distance from the top of a bar to the baseline of vertically centered text.
const BASELINE: f64 = 13.0;
/// Minimum width of the labels.
const LABELS: f64 = 130.0;
/// Width of the longest bar.
const BARS: f64 = 480.0;
/// Width of a value to the right of the longest bar.
const VALUES: f64 = 90.0;
/// Height of the title and the legend.
const HEAD: f64 = 52.0;
/// Width of a character, estimated generously because the reader's font determines it.
const CHARACTER: f64 = 7.0;
/// Colors of the parts, which color-blind readers can distinguish as well.
const COLOURS: [&str; 3] = ["#3b6ea5", "#e0a030", "#7a7a7a"];

impl Plot {
    /// Draws the plot. The plot has its own white background, so that it is readable on pages of any
    /// color.
    #[must_use]
    pub fn svg(&self) -> String {
        let labels = self.label_width();
        let width = labels + BARS + VALUES;
        #[allow(clippy::cast_precision_loss, reason = "there are few bars")]
        let height = HEAD + (self.bar_height() + GAP) * self.bars.len() as f64 + 8.0;
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
             font-family=\"sans-serif\" font-size=\"12\">\n\
             <rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\n\
             <text x=\"8\" y=\"18\" font-size=\"14\">{}</text>\n",
            escaped(self.title)
        );
        self.draw_legend(&mut svg);
        let longest = self.longest();
        let mut y = HEAD;
        for bar in &self.bars {
            let _ = writeln!(
                svg,
                "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>",
                labels - 8.0,
                y + (self.bar_height() - BAR) / 2.0 + BASELINE,
                escaped(&bar.label)
            );
            self.draw_bar(&mut svg, bar, (labels, y), longest);
            y += self.bar_height() + GAP;
        }
        svg.push_str("</svg>\n");
        svg
    }

    fn label_width(&self) -> f64 {
        let labels = self.bars.iter().map(|bar| text_width(&bar.label) + 16.0);
        labels.fold(LABELS, f64::max)
    }

    /// Returns the height of one row's bars.
    fn bar_height(&self) -> f64 {
        match self.layout {
            Layout::Stacked => BAR,
            #[allow(clippy::cast_precision_loss, reason = "there are few parts")]
            Layout::Grouped => BAR * self.parts.len() as f64,
        }
    }

    /// Returns the value that a full-width bar represents.
    fn longest(&self) -> f64 {
        let lengths = self.bars.iter().map(|bar| match self.layout {
            Layout::Stacked => bar.parts.iter().sum(),
            Layout::Grouped => bar.parts.iter().copied().fold(0.0, f64::max),
        });
        lengths.fold(f64::MIN_POSITIVE, f64::max)
    }

    fn draw_legend(&self, svg: &mut String) {
        let mut at = 8.0;
        for (part, colour) in self.parts.iter().zip(COLOURS) {
            let _ = writeln!(
                svg,
                "<rect x=\"{at}\" y=\"28\" width=\"12\" height=\"12\" fill=\"{colour}\"/>\
                 <text x=\"{}\" y=\"38\">{}</text>",
                at + 16.0,
                escaped(part)
            );
            at += 30.0 + text_width(part);
        }
    }

    fn draw_bar(&self, svg: &mut String, bar: &Bar, (left, top): (f64, f64), longest: f64) {
        let (mut x, mut y) = (left, top);
        for (part, colour) in bar.parts.iter().zip(COLOURS) {
            let length = part / longest * BARS;
            let _ = writeln!(
                svg,
                "<rect x=\"{x:.1}\" y=\"{y}\" width=\"{length:.1}\" height=\"{BAR}\" fill=\"{colour}\"/>"
            );
            match self.layout {
                Layout::Stacked => x += length,
                Layout::Grouped => {
                    self.draw_value(svg, *part, (x + length, y));
                    y += BAR;
                }
            }
        }
        if self.layout == Layout::Stacked {
            self.draw_value(svg, bar.parts.iter().sum(), (x, y));
        }
    }

    /// Writes a value to the right of its bar.
    fn draw_value(&self, svg: &mut String, value: f64, (end, top): (f64, f64)) {
        let _ = writeln!(
            svg,
            "<text x=\"{:.1}\" y=\"{}\">{value:.*}</text>",
            end + 5.0,
            top + BASELINE,
            self.decimals
        );
    }
}

fn text_width(text: &str) -> f64 {
    #[allow(clippy::cast_precision_loss, reason = "labels are short")]
    let count = text.chars().count() as f64;
    CHARACTER * count
}

/// Escapes the characters that are reserved in XML text.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

#[cfg(test)]
mod tests;
