//! The paragraphs of `docs/problems.md`.

use super::ProblemCode;

const PAGE: &str = include_str!("../../../../docs/problems.md");

/// Returns the paragraph of the problem with this code, from its heading to the next one; `None` if no problem
/// has the code.
#[must_use]
pub fn paragraph(code: &str) -> Option<&'static str> {
    let mut known = ProblemCode::ALL.iter();
    let code = known.find(|known| known.as_str() == code)?;
    let heading = format!("\n### `{}`\n", code.as_str());
    let (_, rest) = PAGE.split_at(PAGE.find(&heading)? + 1);
    let end = rest.find("\n\n##").map_or(rest.len(), |end| end + 1);
    Some(&rest[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_problem_has_a_paragraph_of_its_own() {
        for code in ProblemCode::ALL {
            let text = paragraph(code.as_str()).unwrap();
            assert!(text.starts_with(&format!("### `{}`\n\n", code.as_str())));
            assert_eq!(text.matches("##").count(), 1, "{code:?}");
            assert!(text.contains("\n**Remedy.** "), "{code:?}");
            assert!(text.ends_with('\n') && !text.ends_with("\n\n"), "{code:?}");
        }
        for unknown in ["", "not_found`", "NOT_FOUND", "who_may_ask"] {
            assert_eq!(paragraph(unknown), None);
        }
    }
}
