//! Normalization of texts that people type, paste and dictate.
//!
//! The rules use Unicode's own data: compatibility forms (NFKC), general categories, and the
//! property `Default_Ignorable_Code_Point` for characters that a screen does not draw.

use icu_properties::props::{DefaultIgnorableCodePoint, GeneralCategory, GeneralCategoryGroup};
use icu_properties::{CodePointMapData, CodePointSetData};
use unicode_normalization::UnicodeNormalization;

/// The box around the digits of keycap emoji.
const KEYCAP: char = '\u{20e3}';
/// Replaces characters that were lost in a conversion between encodings, such as a long dash.
const REPLACEMENT: char = '\u{fffd}';
/// Looks like a space.
const BLANK_BRAILLE: char = '\u{2800}';

/// Iterates over a text's characters in compatibility form, without characters that take no space on
/// a screen (zero-width characters, direction marks, variation selectors), and with the digits of
/// every script as ASCII.
pub(crate) fn plain(text: &str) -> impl Iterator<Item = char> {
    let visible = text.nfkc().filter(|c| !is_invisible(*c));
    visible.map(with_ascii_digit)
}

/// Returns whether `c` is a dash, or a substitute for one on keyboards that have none.
pub(crate) fn is_dash(c: char) -> bool {
    match c {
        '-' => true,
        c if c.is_ascii() => false,
        // Minus signs of mathematics, phonetics and emoji; hyphen bullet; box-drawing lines; Chinese one;
        // Japanese prolonged sound mark; Korean vowel; Arabic elongation.
        '\u{2212}' | '\u{2d7}' | '\u{2796}' | '\u{2043}' | '\u{2500}' | '\u{2501}' | '\u{4e00}'
        | '\u{30fc}' | '\u{1173}' | '\u{640}' => true,
        _ => category(c) == GeneralCategory::DashPunctuation,
    }
}

/// Returns whether `c` separates words or groups of digits: white space, punctuation and keyboard
/// symbols, including dashes.
pub(crate) fn is_separator(c: char) -> bool {
    if c.is_ascii() {
        return !c.is_ascii_alphanumeric();
    }
    let signs = GeneralCategoryGroup::Punctuation
        .union(GeneralCategoryGroup::Separator)
        .union(GeneralCategoryGroup::Control)
        .union(GeneralCategoryGroup::MathSymbol)
        .union(GeneralCategoryGroup::ModifierSymbol);
    // U+119E is the middle dot of Korean keyboards.
    signs.contains(category(c))
        || c.is_whitespace()
        || matches!(c, REPLACEMENT | BLANK_BRAILLE | '\u{119e}')
        || is_dash(c)
}

/// Returns whether `c` takes no space on a screen, or only frames the preceding character.
fn is_invisible(c: char) -> bool {
    !c.is_ascii()
        && (c == KEYCAP
            || category(c) == GeneralCategory::Format
            || CodePointSetData::new::<DefaultIgnorableCodePoint>().contains(c))
}

/// Returns the ASCII digit of the same value for a digit of another script, and any other character
/// unchanged.
///
/// Unicode keeps the ten digits of a script together, in ascending order from zero (Unicode Standard,
/// section 4.6, and the stability policy of its property values), so the number of digits directly
/// before a digit is its value.
fn with_ascii_digit(c: char) -> char {
    if c.is_ascii() || !is_digit(c) {
        return c;
    }
    let earlier = (0..u32::from(c)).rev().map_while(char::from_u32);
    let value = earlier.take_while(|c| is_digit(*c)).count() % 10;
    let value = u32::try_from(value).unwrap_or_default();
    char::from_digit(value, 10).unwrap_or(c)
}

fn is_digit(c: char) -> bool {
    category(c) == GeneralCategory::DecimalNumber
}

fn category(c: char) -> GeneralCategory {
    CodePointMapData::<GeneralCategory>::new().get(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain_text(text: &str) -> String {
        plain(text).collect()
    }

    /// The zeros of all scripts in Unicode 18 (`DerivedNumericType.txt`).
    const ZEROS: &str =
        "0٠۰߀०০੦૦୦௦౦೦൦෦๐໐༠၀႐០᠐᥆᧐᪀᪐᭐᮰᱀᱐꘠꣐꤀꧐꧰꩐꯰０𐒠𐴰𐵀𑁦𑃰𑄶𑇐𑋰𑑐𑓐𑙐𑛀𑛐𑛚𑜰𑣠𑥐𑯰𑱐𑵐𑶠𑷠𑽐𖄰𖩠𖫀𖭐𖵰𜳰𝟎𝟘𝟢𝟬𝟶𞅀𞋰𞓰𞗱𞥐🯰";

    #[test]
    fn digits_of_every_script_are_read() {
        let mut digits = 0;
        for zero in ZEROS.chars() {
            for value in 0..10 {
                let digit = char::from_u32(u32::from(zero) + value).unwrap();
                let expected = char::from_digit(value, 10).unwrap().to_string();
                assert_eq!(plain_text(&digit.to_string()), expected, "{digit:?}");
                digits += 1;
            }
        }
        let known = ('\0'..=char::MAX).filter(|c| is_digit(*c)).count();
        assert_eq!(known, digits);
    }

    #[test]
    fn compatibility_forms_are_read() {
        for (written, read) in [
            ("ＣＳ－７", "CS-7"),
            ("①⓪⑨", "109"),
            ("𝐂𝟕", "C7"),
            ("¹₂", "12"),
            ("1\u{fe0f}\u{20e3}2\u{20e3}", "12"),
            ("\u{202a}+1\u{202c}", "+1"),
            ("a\u{200b}b\u{ad}c\u{e0100}d\u{115f}", "abcd"),
            ("é", "é"),
        ] {
            assert_eq!(plain_text(written), read, "{written:?}");
        }
    }

    #[test]
    fn dashes_and_separators_are_known() {
        for dash in "-–—‐\u{2011}−⁃ー－ｰ一ㅡᅳـ〜➖─˗⁻".chars() {
            let plain = plain_text(&dash.to_string());
            assert!(plain.chars().all(is_dash) && !plain.is_empty(), "{dash:?}");
        }
        for separator in " \t\r\n\0\u{a0}\u{202f}\u{3000}\u{2028},.;:!?/\\|*_~`'\"“”„«»‹›()[]{}<>=+^&%#@$·•・ㆍ、。،؛…¿¡´\u{fffd}\u{2800}-—".chars() {
            let plain = plain_text(&separator.to_string());
            let separates = plain.chars().all(|c| is_separator(c) || c == '\u{301}');
            assert!(separates && !plain.is_empty(), "{separator:?}");
        }
        for other in "aZ7éßжケ字😀٣€©".chars() {
            assert!(!is_separator(other) && !is_dash(other), "{other:?}");
        }
    }
}
