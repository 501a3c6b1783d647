//! The page with the results: a section between two markers, and the plots next to the page.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::plot::Plot;

/// Folder of the plots, next to the page.
const FOLDER: &str = "performance";

/// A plot and its file.
#[derive(Clone, Debug)]
pub struct Figure {
    /// The file's name.
    pub file: &'static str,
    /// Alternative text for readers who cannot see the plot.
    pub about: &'static str,
    pub plot: Plot,
}

/// The part of a page that a benchmark writes.
#[derive(Clone, Debug)]
pub struct Section {
    /// The name in the markers, `<!-- NAME:begin -->` and `<!-- NAME:end -->`.
    pub name: &'static str,
    pub tables: String,
    /// The plots, which the page shows below the tables.
    pub figures: Vec<Figure>,
}

/// A failure to write a section.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The page has no markers for the section.
    #[error("{page} lacks {begin} or {end}")]
    Marks {
        page: PathBuf,
        /// The marker that begins the section.
        begin: String,
        /// The marker that ends it.
        end: String,
    },
    /// A file cannot be read or written.
    #[error("cannot read or write {path}")]
    File {
        /// The file or folder.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
}

impl Section {
    /// Replaces the section in a page, and writes the plots into the folder `performance` next to
    /// the page.
    ///
    /// # Errors
    /// Fails if the page lacks the markers, before anything is written, or if a file cannot be read or
    /// written.
    pub fn write(&self, page: &Path) -> Result<(), WriteError> {
        let text = fs::read_to_string(page).map_err(failed(page))?;
        let text = self.replace(&text).ok_or_else(|| WriteError::Marks {
            page: page.to_owned(),
            begin: self.begin(),
            end: self.end(),
        })?;
        let folder = page.with_file_name(FOLDER);
        fs::create_dir_all(&folder).map_err(failed(&folder))?;
        for figure in &self.figures {
            let file = folder.join(figure.file);
            fs::write(&file, figure.plot.svg()).map_err(failed(&file))?;
        }
        fs::write(page, text).map_err(failed(page))
    }

    fn begin(&self) -> String {
        format!("<!-- {}:begin -->", self.name)
    }

    fn end(&self) -> String {
        format!("<!-- {}:end -->", self.name)
    }

    fn replace(&self, page: &str) -> Option<String> {
        let (begin, end) = (self.begin(), self.end());
        let (before, rest) = page.split_once(&begin)?;
        let (_, after) = rest.split_once(&end)?;
        Some(format!("{before}{begin}\n{}{end}{after}", self.markdown()))
    }

    fn markdown(&self) -> String {
        let mut text = format!("{}\n", self.tables.trim_end());
        for Figure { file, about, .. } in &self.figures {
            let _ = writeln!(text, "\n![{about}]({FOLDER}/{file})");
        }
        text
    }
}

fn failed(path: &Path) -> impl FnOnce(io::Error) -> WriteError {
    let path = path.to_owned();
    move |source| WriteError::File { path, source }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::Layout;

    fn section() -> Section {
        let plot = Plot {
            title: "Time, ms",
            parts: &["p50"],
            layout: Layout::Stacked,
            decimals: 2,
            bars: Vec::new(),
        };
        Section {
            name: "serve",
            tables: "new\n\n".to_owned(),
            figures: vec![Figure {
                file: "time.svg",
                about: "Time",
                plot,
            }],
        }
    }

    #[test]
    fn only_what_stands_between_the_marks_is_replaced() {
        let page = "a\n<!-- serve:begin -->\nold\n<!-- serve:end -->\nb\n";
        let expected = "a\n<!-- serve:begin -->\nnew\n\n![Time](performance/time.svg)\n\
                        <!-- serve:end -->\nb\n";
        let replaced = section().replace(page);
        assert_eq!(replaced.as_deref(), Some(expected));
        assert_eq!(section().replace(expected).as_deref(), Some(expected));
    }

    #[test]
    fn plots_are_written_beside_the_page() {
        let folder = tempfile::tempdir().unwrap();
        let page = folder.path().join("page.md");
        fs::write(&page, "<!-- serve:begin --><!-- serve:end -->").unwrap();
        section().write(&page).unwrap();
        let plot = fs::read_to_string(folder.path().join("performance/time.svg")).unwrap();
        assert!(plot.starts_with("<svg "), "{plot}");
        let text = fs::read_to_string(&page).unwrap();
        assert!(text.contains("(performance/time.svg)"), "{text}");
    }

    #[test]
    fn page_without_marks_is_refused_and_nothing_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let page = folder.path().join("page.md");
        fs::write(&page, "<!-- serve:begin -->").unwrap();
        let error = section().write(&page).unwrap_err();
        assert!(matches!(error, WriteError::Marks { .. }), "{error}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
