//! Keys, strings and numbers, each in one of the many spellings that JSON allows.

use crate::chance::Chance;

/// Keys that are known to cause problems in libraries: array indices and similar numbers, names that
/// objects inherit, and names that different orders sort differently.
const KEYS: &[&str] = &[
    "0",
    "1",
    "2",
    "9",
    "10",
    "11",
    "100",
    "00",
    "01",
    "-0",
    "-1",
    "+1",
    "1.0",
    "1e3",
    "0x1",
    " 1",
    "4294967293",
    "4294967294",
    "4294967295",
    "4294967296",
    "9007199254740993",
    "NaN",
    "Infinity",
    "",
    " ",
    "!",
    "/",
    ":",
    "A",
    "a",
    "B",
    "b",
    "Z",
    "aa",
    "a\u{0}",
    "é",
    "e\u{301}",
    "ß",
    "ﬀ",
    "\u{d7ff}",
    "\u{e000}",
    "\u{ffff}",
    "\u{10000}",
    "\u{10ffff}",
    "\u{2028}",
    "\u{feff}",
    "\u{7f}",
    "constructor",
    "prototype",
    "__proto",
    "_proto_",
    "__proto__ ",
    "__PROTO__",
    "toString",
    "toJSON",
    "valueOf",
    "hasOwnProperty",
    "length",
    "then",
    "null",
    "true",
    "$ref",
    "$where",
    "__class__",
    "@type",
    "metadata",
    "phoneNumber",
    "timestamp",
    "\"",
    "\\",
    "\\u0041",
    "\n",
];

/// Characters that some serializers escape and others do not, and ordinary ones.
const CHARACTERS: &[char] = &[
    'a',
    'z',
    'A',
    '0',
    '9',
    ' ',
    '-',
    '.',
    '+',
    '"',
    '\\',
    '/',
    '\'',
    '<',
    '>',
    '&',
    '=',
    '`',
    '\u{0}',
    '\u{1}',
    '\u{8}',
    '\t',
    '\n',
    '\u{b}',
    '\u{c}',
    '\r',
    '\u{e}',
    '\u{1b}',
    '\u{1f}',
    '\u{7f}',
    '\u{80}',
    '\u{85}',
    '\u{9f}',
    '\u{a0}',
    '\u{ad}',
    'é',
    'ß',
    'İ',
    'ſ',
    '\u{301}',
    '\u{600}',
    'ע',
    '\u{200b}',
    '\u{200d}',
    '\u{202e}',
    '\u{2028}',
    '\u{2029}',
    '\u{d7ff}',
    '\u{e000}',
    '\u{fdd0}',
    '\u{feff}',
    '\u{fffd}',
    '\u{fffe}',
    '\u{ffff}',
    '\u{10000}',
    '😀',
    '\u{1f3fd}',
    '\u{e0001}',
    '\u{10ffff}',
];

/// Numbers at which the written form changes, or which are hard to round.
const NUMBERS: &[&str] = &[
    "0",
    "-0",
    "-0.0",
    "0.0",
    "0e0",
    "-0E-5",
    "1",
    "-1",
    "1.0",
    "-10.00",
    "100",
    "1e0",
    "1E+2",
    "9007199254740991",
    "-9007199254740991",
    "9007199254740991.0",
    "9007199254740992.0",
    "9007199254740993.0",
    "-9007199254740993.0",
    "9.007199254740993e15",
    "4294967296",
    "1e15",
    "1e16",
    "1e17",
    "1e20",
    "1e21",
    "1e22",
    "-1e20",
    "-1e21",
    "1e23",
    "123456789012345680000.0",
    "999999999999999999999.0",
    "999999999999999934463.9",
    "1e-5",
    "1e-6",
    "1e-7",
    "-1e-7",
    "0.000001",
    "0.0000001",
    "0.00000123",
    "0.1",
    "0.2",
    "0.3",
    "0.30000000000000004",
    "2.5",
    "3.14",
    "0.1000000000000000055511151231257827",
    "333333333.33333329",
    "1e-323",
    "5e-324",
    "4.9e-324",
    "2.4703282292062327e-324",
    "2.4703282292062328e-324",
    "1e-400",
    "-1e-400",
    "2.2250738585072011e-308",
    "2.2250738585072014e-308",
    "1.7976931348623157e308",
    "1e308",
    "1.7976931348623158e308",
    "179769313486231570000e288",
    "8.41e21",
    "2.0e-3",
    "1.0e+01",
    "6.02214076e23",
    "9.5367431640625e-7",
    "5.0e-0",
];

/// Returns a valid key.
pub(super) fn key(chance: &mut Chance) -> String {
    match chance.below(4) {
        0 => chance.below(40).to_string(),
        1 => text(chance, 6),
        _ => chance.pick(KEYS).to_owned(),
    }
}

/// Returns a string of at most `longest` characters.
pub(super) fn text(chance: &mut Chance, longest: usize) -> String {
    let length = chance.between(0, longest);
    if chance.once_in(2) {
        return (0..length).map(|_| chance.pick(CHARACTERS)).collect();
    }
    (0..length)
        .map(|_| chance.pick(&['k', 'l', 'm', 'N', '7', '_']))
        .collect()
}

/// Writes `text` as a JSON string.
pub(super) fn string(text: &str, chance: &mut Chance) -> String {
    // Escapes few characters, most, or all.
    let raw = chance.pick(&[0, 1, 9, 9]);
    let mut out = String::from("\"");
    for character in text.chars() {
        let must_escape = character < ' ' || character == '"' || character == '\\';
        match short_form(character) {
            Some(form) if chance.once_in(2) => out.extend(['\\', form]),
            _ if !must_escape && chance.below(10) < raw => out.push(character),
            _ => escape(character, &mut out, chance),
        }
    }
    out.push('"');
    out
}

fn short_form(character: char) -> Option<char> {
    let (_, form) = [
        "\"\"", "\\\\", "//", "\u{8}b", "\u{c}f", "\nn", "\rr", "\tt",
    ]
    .iter()
    .filter_map(|pair| pair.chars().next().zip(pair.chars().next_back()))
    .find(|(from, _)| *from == character)?;
    Some(form)
}

fn escape(character: char, out: &mut String, chance: &mut Chance) {
    for unit in character.encode_utf16(&mut [0; 2]) {
        let spelled = if chance.once_in(2) {
            format!("\\u{unit:04x}")
        } else {
            format!("\\u{unit:04X}")
        };
        out.push_str(&spelled);
    }
}

/// Returns a valid number.
pub(super) fn number(chance: &mut Chance) -> String {
    match chance.below(6) {
        0 => chance.below(1000).to_string(),
        1 => {
            // Any finite double, with an exponent so that it is not an integer literal.
            let any = f64::from_bits(chance.any());
            if any.is_finite() {
                format!("{any:e}")
            } else {
                "1e5".to_owned()
            }
        }
        2 => {
            // More digits than a double can represent.
            let (whole, digits) = (chance.below(1_000_000), chance.any());
            format!("{whole}.{digits}{}e{}", chance.any(), chance.between(0, 40)).replace("e0", "")
        }
        3 => {
            let sign = chance.pick(&["", "-"]);
            format!("{sign}{}E-{}", chance.any() >> 11, chance.below(340))
        }
        _ => chance.pick(NUMBERS).to_owned(),
    }
}

/// Returns whitespace, mostly none.
pub(super) fn space(chance: &mut Chance) -> &'static str {
    chance.pick(&["", "", "", "", "", "", " ", "\n", "\t", "\r\n  "])
}
