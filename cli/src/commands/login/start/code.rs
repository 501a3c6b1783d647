//! QR codes for terminals.

use std::fmt;

use qrcodegen::{QrCode, QrCodeEcc};

/// Width of the light border that scanners need around a code, in modules (ISO/IEC 18004).
const QUIET: i32 = 4;

/// Black on bright white, whatever the terminal's colors are (ECMA-48, SGR).
const INK: &str = "\u{1b}[30;107m";
const RESET: &str = "\u{1b}[0m";

/// A code as lines of half blocks: each character shows two modules, one above the other.
pub(super) struct TerminalCode(QrCode);

impl TerminalCode {
    /// Encodes a text; `None` if it is too long for a code.
    pub(super) fn encode(text: &str) -> Option<Self> {
        QrCode::encode_text(text, QrCodeEcc::Low).ok().map(Self)
    }
}

impl fmt::Display for TerminalCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(code) = self;
        let range = -QUIET..code.size() + QUIET;
        for y in range.clone().step_by(2) {
            f.write_str(INK)?;
            for x in range.clone() {
                // Modules outside the code are light.
                let block = match (code.get_module(x, y), code.get_module(x, y + 1)) {
                    (false, false) => ' ',
                    (true, false) => '▀',
                    (false, true) => '▄',
                    (true, true) => '█',
                };
                write!(f, "{block}")?;
            }
            writeln!(f, "{RESET}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_hold_exactly_the_dark_modules_and_a_border() {
        let text = "https://login.shop.example?sessionId=qrs_0123456789abcdef0123456789abcdef";
        let TerminalCode(code) = TerminalCode::encode(text).unwrap();
        let drawn = TerminalCode::encode(text).unwrap().to_string();
        let mut rows = Vec::new();
        for line in drawn.lines() {
            let line = line.strip_prefix(INK).unwrap();
            let line: Vec<char> = line.strip_suffix(RESET).unwrap().chars().collect();
            rows.push(line.iter().map(|c| "▀█".contains(*c)).collect::<Vec<_>>());
            rows.push(line.iter().map(|c| "▄█".contains(*c)).collect());
        }
        let width = usize::try_from(code.size() + 2 * QUIET).unwrap();
        assert!(rows.len() >= width && rows.len() <= width + 1);
        for (y, row) in (-QUIET..).zip(&rows) {
            assert_eq!(row.len(), width);
            for (x, dark) in (-QUIET..).zip(row) {
                assert_eq!(*dark, code.get_module(x, y), "{x},{y}");
            }
        }
    }

    #[test]
    fn text_too_long_for_a_code_has_none() {
        assert!(TerminalCode::encode(&"x".repeat(5000)).is_none());
    }
}
