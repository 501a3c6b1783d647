//! QR codes as a single SVG path.

use std::fmt::Write as _;

use qrcodegen::{QrCode, QrCodeEcc};
use serde::Serialize;

/// Width of the light border that scanners need around a code, in modules (ISO/IEC 18004).
const QUIET: i32 = 4;

/// An image of a code.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(super) struct QrImage {
    /// Width and height in modules, border included.
    size: i32,
    /// The dark modules as the `d` attribute of an SVG path in a view box of this size.
    path: String,
}

impl QrImage {
    /// Encodes a text; `None` if it is too long for a code.
    pub(super) fn encode(text: &str) -> Option<Self> {
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
                    // Writing to a string cannot fail.
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
    fn path_covers_exactly_the_dark_modules() {
        let text = "smsto:+12025550199:CS-01ABCDEFGHJKMNPQ";
        let code = QrCode::encode_text(text, QrCodeEcc::Medium).unwrap();
        let image = QrImage::encode(text).unwrap();
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
    fn text_too_long_for_a_code_has_no_image() {
        assert_eq!(QrImage::encode(&"x".repeat(5000)), None);
    }
}
