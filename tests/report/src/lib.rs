//! Reports of the benchmarks: Markdown tables, plots as SVG, and the page that holds both.

pub mod page;
pub mod plot;
pub mod table;
