//! Texts from strangers that are shown on a screen: everything in them must be visible, with only
//! one possible encoding.
//!
//! The rules use Unicode's own data: general categories, and the property `Default_Ignorable_Code_Point`
//! (Unicode Standard, section 5.21) for characters that a screen does not draw. Characters that a script or
//! an emoji requires are allowed where it requires them.
//!
//! Code points that screens do not render uniformly are refused too: noncharacters and unassigned ones, which
//! all look like a box or like nothing, and private-use ones, which the phone's maker or font renders
//! arbitrarily. Therefore, a character that is newer than the Unicode version of `icu_properties` is refused
//! until the crate is updated.

use icu_properties::props::{
    DefaultIgnorableCodePoint, Emoji, ExtendedPictographic, GeneralCategory, GeneralCategoryGroup,
    Script,
};
use icu_properties::{CodePointMapData, CodePointSetData};
use unicode_normalization::is_nfc;

/// Maximum number of marks on one letter. Tibetan needs the most, but rarely more than five.
const MAX_MARKS: usize = 8;

const NON_JOINER: char = '\u{200c}';
const JOINER: char = '\u{200d}';
const BLACK_FLAG: char = '\u{1f3f4}';
const END_OF_FLAG: char = '\u{e007f}';
const KEYCAP: char = '\u{20e3}';
/// Placeholder for an object that is not in the text. Screens draw a box, or nothing.
const OBJECT_REPLACEMENT: char = '\u{fffc}';

/// Returns whether any part of a text is visible.
pub(crate) fn shows_something(text: &str) -> bool {
    text.chars().any(is_visible)
}

/// Returns whether a person sees all of a text, on one line and in its order. The text must be in
/// normalization form C and contain no control characters, no characters that reorder text or separate
/// lines, no characters that a screen does not draw (except where a script or an emoji requires them),
/// and no stacks of marks.
pub(crate) fn shows_everything(text: &str) -> bool {
    let mut before: Vec<char> = Vec::with_capacity(text.len());
    let mut marks = 0;
    for (at, c) in text.char_indices() {
        let after = &text[at + c.len_utf8()..];
        if is_hidden(c) && !is_needed(c, &before, after) {
            return false;
        }
        let is_mark = GeneralCategoryGroup::Mark.contains(category(c));
        marks = if is_mark { marks + 1 } else { 0 };
        if marks > MAX_MARKS || (is_mark && before.is_empty()) {
            return false;
        }
        before.push(c);
    }
    is_nfc(text)
}

/// Returns whether a word mixes Latin letters with Cyrillic or Greek letters, many of which look
/// like them.
pub(crate) fn imitates_latin(text: &str) -> bool {
    let mut words = text.split(|c: char| !c.is_alphanumeric());
    words.any(|word| {
        let has = |of: &[Script]| word.chars().any(|c| of.contains(&script(c)));
        has(&[Script::Latin]) && has(&[Script::Cyrillic, Script::Greek])
    })
}

fn category(c: char) -> GeneralCategory {
    CodePointMapData::<GeneralCategory>::new().get(c)
}

fn script(c: char) -> Script {
    CodePointMapData::<Script>::new().get(c)
}

fn is_ignorable(c: char) -> bool {
    CodePointSetData::new::<DefaultIgnorableCodePoint>().contains(c)
}

fn is_emoji(c: char) -> bool {
    CodePointSetData::new::<Emoji>().contains(c) && !c.is_ascii()
}

fn is_pictogram(c: char) -> bool {
    CodePointSetData::new::<ExtendedPictographic>().contains(c)
}

fn is_visible(c: char) -> bool {
    let blank = matches!(c, '\u{2800}' | '\u{1d159}');
    let group = GeneralCategoryGroup::Letter
        .union(GeneralCategoryGroup::Number)
        .union(GeneralCategoryGroup::Punctuation)
        .union(GeneralCategoryGroup::Symbol);
    group.contains(category(c)) && !is_ignorable(c) && !blank
}

/// Returns whether a screen does not draw the character, acts on it instead, or renders it in its own
/// way.
#[must_use]
pub fn is_hidden(c: char) -> bool {
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

/// Returns whether a hidden character changes the look of its neighbors, as its script or emoji
/// requires.
fn is_needed(c: char, before: &[char], after: &str) -> bool {
    let (last, next) = (before.last().copied(), after.chars().next());
    let Some(last) = last else {
        // A few numerals and marks of old scripts are drawn, although they are format characters.
        return is_prepended(c) && next.is_some();
    };
    match c {
        JOINER if is_pictogram_before(before) => next.is_some_and(is_pictogram),
        JOINER | NON_JOINER => {
            needs_joiners(last) && next.is_some_and(|c| script(c) == script(last))
        }
        // Text and emoji presentation.
        '\u{fe0e}' | '\u{fe0f}' => is_emoji(last) || next == Some(KEYCAP),
        // Variants of ideographs, and of Mongolian letters.
        '\u{fe00}'..='\u{fe02}' | '\u{e0100}'..='\u{e01ef}' => script(last) == Script::Han,
        '\u{180b}'..='\u{180d}' | '\u{180f}' => {
            script(last) == Script::Mongolian && !is_ignorable(last)
        }
        // The flags of England, Scotland and Wales.
        '\u{e0020}'..=END_OF_FLAG => is_in_flag(before, c, next),
        _ => is_prepended(c),
    }
}

/// Returns whether a pictogram, possibly with its presentation or a skin color, comes last.
fn is_pictogram_before(before: &[char]) -> bool {
    let is_modifier = |c: &char| matches!(c, '\u{fe0f}' | '\u{1f3fb}'..='\u{1f3ff}');
    let base = before.iter().rev().find(|c| !is_modifier(c));
    base.is_some_and(|c| is_pictogram(*c))
}

/// Returns whether the script of a letter or mark writes words with joiners inside (Unicode Standard,
/// sections 9.2, 12.1 and 13.4).
fn needs_joiners(c: char) -> bool {
    matches!(
        script(c),
        Script::Arabic
            | Script::Bengali
            | Script::Devanagari
            | Script::Gujarati
            | Script::Gurmukhi
            | Script::Kannada
            | Script::Khmer
            | Script::Malayalam
            | Script::Mongolian
            | Script::Myanmar
            | Script::Nko
            | Script::Oriya
            | Script::Sinhala
            | Script::Syriac
            | Script::Tamil
            | Script::Telugu
            | Script::Tibetan
    )
}

fn is_in_flag(before: &[char], c: char, next: Option<char>) -> bool {
    let is_tag = |c: &char| matches!(c, '\u{e0020}'..='\u{e007e}');
    let tags = before.iter().rev().take_while(|c| is_tag(c)).count();
    let base = before.iter().rev().nth(tags);
    let goes_on = c == END_OF_FLAG || matches!(next, Some('\u{e0020}'..=END_OF_FLAG));
    base == Some(&BLACK_FLAG) && goes_on && tags <= 6 && (c != END_OF_FLAG || tags > 0)
}

/// Returns whether a format character is drawn: `Prepended_Concatenation_Mark` (Arabic number signs).
const fn is_prepended(c: char) -> bool {
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn fair_texts_of_all_scripts_are_shown() {
        for text in [
            "Pay 20 EUR to Zoë",
            "支払う、20円　ありがとう",
            "葛\u{e0100}城市",
            "שָׁלוֹם עֲלֵיכֶם",
            "می\u{200c}خواهم",
            "क्\u{200d}ष श्री\u{200c}मान",
            "ශ්\u{200d}රී ලංකා",
            "র\u{200d}্যাব",
            "ම",
            "ภาษาไทย ที่นี่",
            "བཀྲ་ཤིས་བདེ་ལེགས།",
            "မြန်မာဘာသာ",
            "ភាសាខ្មែរ",
            "Tiếng Việt",
            "ᠮᠣᠩᠭᠣᠯ\u{180b} ᠪᠢᠴᠢᠭ",
            "한국어",
            "Ελληνικά и кириллица",
            "\u{600}١٢٣",
            "👍🏽 👩\u{200d}👩\u{200d}👧 👩🏽\u{200d}🚀 ❤\u{fe0f}\u{200d}🔥",
            "1\u{fe0f}\u{20e3} ☎\u{fe0e} 🇩🇪",
            "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
            "«\u{a0}20\u{202f}000 €\u{a0}»",
            "ΔT = 5 °C, µm",
        ] {
            assert!(shows_everything(text) && shows_something(text), "{text}");
        }
    }

    #[test]
    fn text_that_hides_or_reorders_something_is_not_shown_whole() {
        for hidden in [
            '\0',
            '\t',
            '\n',
            '\r',
            '\u{1b}',
            '\u{7f}',
            '\u{85}',
            '\u{ad}',
            '\u{34f}',
            '\u{61c}',
            '\u{115f}',
            '\u{1160}',
            '\u{17b4}',
            '\u{17b5}',
            '\u{180b}',
            '\u{180e}',
            '\u{200b}',
            '\u{200c}',
            '\u{200d}',
            '\u{200e}',
            '\u{200f}',
            '\u{2028}',
            '\u{2029}',
            '\u{202a}',
            '\u{202e}',
            '\u{2060}',
            '\u{2061}',
            '\u{2064}',
            '\u{2065}',
            '\u{2066}',
            '\u{2069}',
            '\u{206a}',
            '\u{3164}',
            '\u{fe00}',
            '\u{fe0e}',
            '\u{fe0f}',
            '\u{feff}',
            '\u{ffa0}',
            '\u{fff9}',
            '\u{fffb}',
            '\u{1bca0}',
            '\u{1d173}',
            '\u{e0001}',
            '\u{e0041}',
            '\u{e007f}',
            '\u{e0100}',
            '\u{e01f0}',
            // Noncharacters and unassigned code points.
            '\u{fdd0}',
            '\u{fdef}',
            '\u{fffe}',
            '\u{ffff}',
            '\u{1fffe}',
            '\u{8ffff}',
            '\u{10ffff}',
            '\u{378}',
            '\u{2fe0}',
            '\u{1faff}',
            '\u{50000}',
            // Private use, such as Apple's logo.
            '\u{e000}',
            '\u{f8ff}',
            '\u{f0000}',
            '\u{100000}',
            '\u{fffc}',
        ] {
            for text in [
                format!("Pay {hidden}20"),
                format!("Pay{hidden}"),
                format!("{hidden}Pay"),
                format!("支{hidden}{hidden}払"),
                format!("👍{hidden}{hidden}a"),
            ] {
                let alone = hidden != '\u{fe0f}' && hidden != '\u{fe0e}';
                assert!(!shows_everything(&text) || !alone, "{text:?}");
            }
        }
        for text in [
            "Zoe\u{308}",
            "\u{308}x",
            "می\u{200c} خواهم",
            "می\u{200c}\u{200c}خواهم",
            "क\u{200d}a",
            "🏴\u{e0067}\u{e0062}",
            "🏴\u{e007f}",
            "👍\u{e0067}\u{e007f}",
            "1\u{fe0f}",
            "a\u{200d}👍",
            "👍\u{200d}",
            "ᠮ\u{180b}\u{180b}",
        ] {
            assert!(!shows_everything(text), "{text:?}");
        }
        // 300 acute accents cover the lines above.
        let tower = format!("q{}", "\u{301}".repeat(300));
        assert!(!shows_everything(&tower));
        assert!(shows_everything(&format!(
            "q{}",
            "\u{301}".repeat(MAX_MARKS)
        )));
    }

    #[test]
    fn blank_text_shows_nothing() {
        for blank in [
            "",
            " ",
            "\u{3000}\u{a0}",
            "\u{2800}",
            "\u{3164}",
            "\u{200b}\u{ad}",
            "\n \n",
            "\u{e000}",
            "\u{fdd0}",
        ] {
            assert!(!shows_something(blank), "{blank:?}");
        }
        for text in ["x", ".", "👍", "１", "\u{fffd}"] {
            assert!(shows_something(text), "{text:?}");
        }
    }

    #[test]
    fn word_of_letters_that_look_alike_imitates() {
        for word in ["zо\u{435}", "раypal", "a@exаmple.org", "Αpple"] {
            assert!(imitates_latin(word), "{word}");
        }
        for fair in [
            "zoe",
            "зоя",
            "зоя@example.org",
            "PIN-код",
            "ゾエz",
            "李xiao",
            "Ελένη",
            "zoë_1",
        ] {
            assert!(!imitates_latin(fair), "{fair}");
        }
    }

    #[test]
    fn no_noncharacter_is_shown() {
        let last_two =
            (0..=16_u32).flat_map(|plane| [(plane << 16) + 0xfffe, (plane << 16) + 0xffff]);
        for code in (0xfdd0..=0xfdef).chain(last_two) {
            let c = char::from_u32(code).unwrap();
            assert!(!shows_everything(&format!("Pay {c}20")), "U+{code:X}");
            assert!(!shows_something(&c.to_string()), "U+{code:X}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_judged(text in "\\PC{0,40}|[\u{0}-\u{ffff}]{0,20}") {
            // Accepted text stays the same in form C, as does each part that a line is composed of.
            if shows_everything(&text) {
                prop_assert!(is_nfc(&text));
                prop_assert!(!text.chars().any(char::is_control));
            }
            let _ = (shows_something(&text), imitates_latin(&text));
        }
    }
}
