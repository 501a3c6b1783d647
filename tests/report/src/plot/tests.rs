use super::*;

fn bar(label: &str, parts: &[f64]) -> Bar {
    Bar {
        label: label.to_owned(),
        parts: parts.to_vec(),
    }
}

fn plot(layout: Layout, bars: Vec<Bar>) -> Plot {
    Plot {
        title: "Start",
        parts: &["init", "first"],
        layout,
        decimals: 2,
        bars,
    }
}

/// Position and size of a bar.
#[derive(Clone, Copy, Debug)]
struct Area {
    x: f64,
    y: f64,
    width: f64,
    height: f64,
}

impl Area {
    fn overlaps(&self, other: &Self) -> bool {
        // Positions are rounded to a tenth, so neighbors may seem to overlap by that much.
        let apart = |a: f64, length: f64, b: f64| a + length <= b + 0.11;
        !(apart(self.x, self.width, other.x)
            || apart(other.x, other.width, self.x)
            || apart(self.y, self.height, other.y)
            || apart(other.y, other.height, self.y))
    }
}

fn number(element: &str, name: &str) -> f64 {
    let (_, rest) = element.split_once(&format!(" {name}=\"")).unwrap();
    rest.split('"').next().unwrap().parse().unwrap()
}

/// Returns all bars, without the background and the legend.
fn areas(svg: &str) -> Vec<Area> {
    let bars = svg.lines().filter(|line| line.starts_with("<rect x="));
    bars.map(|line| Area {
        x: number(line, "x"),
        y: number(line, "y"),
        width: number(line, "width"),
        height: number(line, "height"),
    })
    .filter(|area| area.y >= HEAD)
    .collect()
}

/// Returns the size of the whole plot.
fn size(svg: &str) -> (f64, f64) {
    let ground = svg.lines().nth(1).unwrap();
    (number(ground, "width"), number(ground, "height"))
}

#[test]
fn longest_stacked_bar_has_the_full_width() {
    let bars = vec![bar("one", &[1.0, 1.0]), bar("two", &[3.0, 1.0])];
    let svg = plot(Layout::Stacked, bars).svg();
    let widths: Vec<_> = areas(&svg).iter().map(|area| area.width).collect();
    assert_eq!(widths, [120.0, 120.0, 360.0, 120.0]);
    assert!(svg.ends_with("</svg>\n"));
}

#[test]
fn longest_grouped_part_has_the_full_width() {
    let bars = vec![bar("one", &[1.0, 2.0]), bar("two", &[3.0, 4.0])];
    let svg = plot(Layout::Grouped, bars).svg();
    let widths: Vec<_> = areas(&svg).iter().map(|area| area.width).collect();
    assert_eq!(widths, [120.0, 240.0, 360.0, 480.0]);
}

#[test]
fn stacked_bars_show_the_sum_and_grouped_bars_each_value() {
    let values = |layout| {
        let svg = plot(layout, vec![bar("one", &[1.25, 0.5])]).svg();
        let shown = ["1.25", "0.50", "1.75"];
        shown.map(|value| svg.contains(&format!(">{value}</text>")))
    };
    assert_eq!(values(Layout::Stacked), [false, false, true]);
    assert_eq!(values(Layout::Grouped), [true, true, false]);
}

#[test]
fn values_have_the_decimals_of_the_plot() {
    let mut counts = plot(Layout::Grouped, vec![bar("one", &[24600.0])]);
    counts.decimals = 0;
    assert!(counts.svg().contains(">24600</text>"));
}

#[test]
fn bars_neither_overlap_nor_leave_the_plot() {
    for layout in [Layout::Stacked, Layout::Grouped] {
        let rows = (1..=9).map(|row| bar("row", &[f64::from(row), 7.0 / f64::from(row)]));
        let svg = plot(layout, rows.collect()).svg();
        let areas = areas(&svg);
        assert_eq!(areas.len(), 18);
        let (width, height) = size(&svg);
        for (index, area) in areas.iter().enumerate() {
            assert!(area.x + area.width + VALUES <= width + 0.11, "{area:?}");
            assert!(area.y + area.height <= height, "{area:?}");
            let mut later = areas[index + 1..].iter();
            assert!(later.all(|other| !area.overlaps(other)), "{area:?}");
        }
    }
}

#[test]
fn labels_fit_beside_the_bars() {
    for label in ["go", "500 a second: answer of an empty server"] {
        let svg = plot(Layout::Grouped, vec![bar(label, &[1.0, 2.0])]).svg();
        let line = svg.lines().find(|line| line.contains("\"end\"")).unwrap();
        let end = number(line, "x");
        assert!(end - text_width(label) >= 8.0, "{line}");
        assert!(areas(&svg).iter().all(|area| area.x > end), "{svg}");
    }
}

#[test]
fn reserved_characters_are_escaped() {
    let svg = plot(Layout::Stacked, vec![bar("a < b & c > d", &[1.0])]).svg();
    assert!(svg.contains(">a &lt; b &amp; c &gt; d</text>"), "{svg}");
}

#[test]
fn plot_of_nothing_has_no_bars() {
    let svg = plot(Layout::Stacked, vec![bar("none", &[0.0, 0.0])]).svg();
    assert!(areas(&svg).iter().all(|area| area.width == 0.0), "{svg}");
}
