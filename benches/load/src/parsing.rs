//! Growth of parsing time with the length of untrusted input. Sizes double, so linear time doubles as
//! well.

use std::collections::BTreeSet;
use std::hint::black_box;
use std::time::{Duration, Instant};

use countersign_domain::app::code::{Code, CodePrefix};
use countersign_domain::primitives::canonical_json::{CanonicalObject, Limits};
use countersign_domain::web::callback_url::CallbackUrl;
use countersign_domain::web::origin::WebOrigin;

/// Sizes in bytes; the last one is the maximum size of a text.
const SIZES: [usize; 5] = [512, 1024, 2048, 4096, 8192];

/// The minimum number of repetitions for each size.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Repeated {
    pub(crate) time: Duration,
    pub(crate) runs: usize,
}

impl Repeated {
    /// Enough repetitions for a usable figure.
    pub(crate) const FULL: Self = Self {
        time: Duration::from_millis(30),
        runs: 50,
    };

    pub(crate) const ONCE: Self = Self {
        time: Duration::ZERO,
        runs: 1,
    };
}

/// Measures parsing times and prints them.
pub(crate) fn print(repeated: Repeated) {
    let row = |name: &str, piece: &str, head: &str, read: &dyn Fn(&str) -> bool| {
        row(name, piece, head, repeated, read);
    };
    println!("reading what strangers send, 512 bytes to 8 KiB, the sizes doubling:");
    for count in [1, 51, 5_000] {
        let prefixes = prefixes(count);
        for (name, piece) in [
            ("blanks", " "),
            ("hyphens", "-"),
            ("codes without a prefix", "X-01ABCDEFGHJKMNPQ "),
            ("codes cut off", "CS-01ABCDEFGHJKMNP"),
            ("accents", "\u{316}\u{301}"),
            ("punctuation", ", “”·"),
            ("words for dashes", "CS dash tiret "),
            ("digits of other scripts", "𑛚٣"),
        ] {
            let name = format!("a code among {name}, {count} prefixes");
            row(&name, piece, "", &|text| {
                Code::find(text, &prefixes).is_ok()
            });
        }
    }
    let metadata = |text: &str| CanonicalObject::parse(text, METADATA).is_ok();
    row("metadata of escapes", "\\u0041", "{\"a\":\"", &metadata);
    row("metadata of numbers", "1e300,", "{\"a\":[", &metadata);
    row("metadata of objects", "{\"constructor\":", "", &metadata);
    row("metadata of other keys", "\"", "{", &|text| {
        let keys = (0..text.len() / 8).map(|n| format!("\"{n:05}\":{n}"));
        let object = format!("{{{}}}", keys.collect::<Vec<_>>().join(","));
        CanonicalObject::parse(object, METADATA).is_ok()
    });
    row("a callback URL of labels", "a.", "https://", &|text| {
        CallbackUrl::from_stored(text).is_ok()
    });
    row("a callback URL in Punycode", "a", "https://xn--", &|text| {
        CallbackUrl::from_stored(text).is_ok()
    });
    row("an origin", "a.", "https://", &|text| {
        text.parse::<WebOrigin>().is_ok()
    });
}

/// Limits so high that they never stop the parser early.
const METADATA: Limits = Limits {
    bytes: usize::MAX,
    keys: usize::MAX,
    depth: 128,
};

/// Returns `count` prefixes, including `CS`.
fn prefixes(count: usize) -> BTreeSet<CodePrefix> {
    let letter = |n: u32| char::from(b'A' + u8::try_from(n % 26).unwrap());
    let word = |n: u32| -> String { (0..5).map(|place| letter(n / 26_u32.pow(place))).collect() };
    // Some made-up words are keywords, which are not allowed as prefixes.
    let others = (1..).filter_map(|n| word(n).parse::<CodePrefix>().ok());
    let others = others.take(count.saturating_sub(1));
    others.chain([CodePrefix::default()]).collect()
}

/// Prints the time for each size, and its ratio to the time for half the size.
fn row(name: &str, piece: &str, head: &str, repeated: Repeated, read: &dyn Fn(&str) -> bool) {
    let mut figures = Vec::new();
    let mut before: Option<f64> = None;
    for size in SIZES {
        let text = format!("{head}{}", piece.repeat((size - head.len()) / piece.len()));
        let micros = fastest(repeated, || read(&text)).as_secs_f64() * 1e6;
        figures.push(match before {
            None => format!("{micros:.1} µs"),
            Some(before) => format!("{micros:.1} µs (x{:.1})", micros / before),
        });
        before = Some(micros);
    }
    println!("  {name}: {}", figures.join(", "));
}

/// Returns the time of the fastest of many runs, because other work on the machine can only add
/// time.
fn fastest(repeated: Repeated, work: impl Fn() -> bool) -> Duration {
    let began = Instant::now();
    let mut fastest = Duration::MAX;
    let mut runs = 0;
    while began.elapsed() < repeated.time || runs < repeated.runs {
        runs += 1;
        let sent = Instant::now();
        black_box(work());
        fastest = fastest.min(sent.elapsed());
    }
    fastest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn made_up_prefixes_are_as_many_as_wanted() {
        for count in [1, 2, 51, 5_000] {
            assert_eq!(prefixes(count).len(), count);
        }
    }
}
