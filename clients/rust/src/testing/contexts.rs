//! Texts that a phone shows for approval: users must see every character, and each text has only
//! one encoding.
//!
//! The service refuses all others. The app's phone supports more scripts than this module, which allows a joining or
//! variation character after any character.

use icu_properties::props::{DefaultIgnorableCodePoint, GeneralCategory, GeneralCategoryGroup};
use icu_properties::{CodePointMapData, CodePointSetData};
use unicode_normalization::is_nfc;

const MAX_BYTES: usize = 1024;
const MAX_LINES: usize = 12;
const MAX_MARKS: usize = 8;
const OBJECT_REPLACEMENT: char = '\u{fffc}';

/// Returns whether a phone may show a text for approval.
pub(super) fn is_context(text: &str) -> bool {
    text.len() <= MAX_BYTES
        && text.split('\n').count() <= MAX_LINES
        && text.chars().any(is_visible)
        && is_nfc(text)
        && text.split('\n').all(shows_everything)
}

fn category(c: char) -> GeneralCategory {
    CodePointMapData::<GeneralCategory>::new().get(c)
}

fn is_ignorable(c: char) -> bool {
    CodePointSetData::new::<DefaultIgnorableCodePoint>().contains(c)
}

fn is_visible(c: char) -> bool {
    let drawn = GeneralCategoryGroup::Letter
        .union(GeneralCategoryGroup::Number)
        .union(GeneralCategoryGroup::Punctuation)
        .union(GeneralCategoryGroup::Symbol);
    // Symbols that render as blank.
    let is_blank = matches!(c, '\u{2800}' | '\u{1d159}');
    drawn.contains(category(c)) && !is_ignorable(c) && !is_blank
}

fn shows_everything(line: &str) -> bool {
    let mut marks = 0;
    for (at, c) in line.char_indices() {
        if is_hidden(c) && !is_prepended(c) && !(at > 0 && is_joining(c)) {
            return false;
        }
        let is_mark = GeneralCategoryGroup::Mark.contains(category(c));
        marks = if is_mark { marks + 1 } else { 0 };
        if marks > MAX_MARKS || (is_mark && at == 0) {
            return false;
        }
    }
    true
}

fn is_hidden(c: char) -> bool {
    let acts_or_varies = matches!(
        category(c),
        GeneralCategory::Control
            | GeneralCategory::Format
            | GeneralCategory::LineSeparator
            | GeneralCategory::ParagraphSeparator
            | GeneralCategory::PrivateUse
            | GeneralCategory::Unassigned
    );
    acts_or_varies || is_ignorable(c) || c == OBJECT_REPLACEMENT
}

/// Returns whether a character joins or modifies the preceding one.
fn is_joining(c: char) -> bool {
    matches!(
        c,
        '\u{180b}'..='\u{180d}' | '\u{180f}' | '\u{200c}' | '\u{200d}' | '\u{fe00}'..='\u{fe02}' | '\u{fe0e}'
        | '\u{fe0f}' | '\u{e0020}'..='\u{e007f}' | '\u{e0100}'..='\u{e01ef}'
    )
}

/// Returns whether a format character is visible (`Prepended_Concatenation_Mark`).
fn is_prepended(c: char) -> bool {
    matches!(
        c,
        '\u{600}'
            ..='\u{605}'
                | '\u{6dd}'
                | '\u{70f}'
                | '\u{890}'
                | '\u{891}'
                | '\u{8e2}'
                | '\u{110bd}'
                | '\u{110cd}'
    )
}
