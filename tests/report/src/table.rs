//! Markdown tables.

use std::fmt::Display;

/// Formats a table's header: the column names and the line below them.
#[must_use]
pub fn head<T: Display>(columns: impl IntoIterator<Item = T>) -> String {
    let columns: Vec<T> = columns.into_iter().collect();
    let line = "---|".repeat(columns.len());
    format!("{}|{line}\n", row(columns))
}

/// Formats a row of a table.
#[must_use]
pub fn row<T: Display>(cells: impl IntoIterator<Item = T>) -> String {
    let cells = cells.into_iter().map(|cell| format!(" {cell} |"));
    format!("|{}\n", cells.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn head_has_a_line_with_as_many_columns() {
        assert_eq!(head(["", "p50, ms"]), "|  | p50, ms |\n|---|---|\n");
    }

    #[test]
    fn empty_cells_keep_their_place() {
        assert_eq!(row(["go", "", "1.5"]), "| go |  | 1.5 |\n");
    }
}
