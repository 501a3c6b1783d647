//! The QR code as one path of an SVG image.

use std::fmt::Write as _;

use qrcodegen::{QrCode, QrCodeEcc};
use serde::Serialize;

/// The light border that readers need around a code, in modules (ISO/IEC 18004).
const QUIET: i32 = 4;

/// An image of a code.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(super) struct QrImage {
    /// Width and height, in modules, border included.
    size: i32,
    /// The dark modules, as the `d` of an SVG path in a view box of that size.
    path: String,
}

impl QrImage {
    /// The code for a text; `None` where it is too long for one.
    pub(super) fn of(text: &str) -> Option<Self> {
        let code = QrCode::encode_text(text, QrCodeEcc::Medium).ok()?;
        let mut path = String::new();
        for y in 0..code.size() {
            let mut x = 0;
            while x < code.size() {
                let run = (x..code.size())
                    .take_while(|&x| code.get_module(x, y))
                    .map(|_| 1)
                    .sum::<i32>();
                if run > 0 {
                    // Writing to a string does not fail.
                    let _ = write!(path, "M{},{}h{run}v1h-{run}z", x + QUIET, y + QUIET);
                }
                x += run + 1;
            }
        }
        let size = code.size() + 2 * QUIET;
        Some(Self { size, path })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_covers_the_dark_modules_and_no_others() {
        let text = "smsto:+12025550199:CS-01ABCDEFGHJKMNPQ";
        let code = QrCode::encode_text(text, QrCodeEcc::Medium).unwrap();
        let image = QrImage::of(text).unwrap();
        assert_eq!(image.size, code.size() + 8);
        let mut drawn = std::collections::BTreeSet::new();
        for run in image.path.split('M').skip(1) {
            let (x, rest) = run.split_once(',').unwrap();
            let (y, rest) = rest.split_once('h').unwrap();
            let (width, _) = rest.split_once('v').unwrap();
            let x: i32 = x.parse().unwrap();
            for module in x..x + width.parse::<i32>().unwrap() {
                assert!(drawn.insert((module - 4, y.parse::<i32>().unwrap() - 4)));
            }
        }
        for y in 0..code.size() {
            for x in 0..code.size() {
                assert_eq!(drawn.remove(&(x, y)), code.get_module(x, y), "{x},{y}");
            }
        }
        assert!(drawn.is_empty());
    }

    #[test]
    fn a_text_that_no_code_can_hold_has_none() {
        assert_eq!(QrImage::of(&"x".repeat(5000)), None);
    }
}
