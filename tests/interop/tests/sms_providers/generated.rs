//! Generated texts, parameters and addresses.

use std::time::SystemTime;

use countersign_domain::confirmation::text::{Channel, InboundMessage};
use countersign_domain::primitives::time::Timestamp;
use countersign_inbound::PublicUrl;
use countersign_interop::chance::Chance;

pub(crate) fn secret(chance: &mut Chance) -> String {
    let length = chance.between(8, 70);
    let pick = |_| char::from(b'!' + u8::try_from(chance.below(94)).unwrap());
    (0..length).map(pick).collect()
}

/// Returns a text that is as awkward as those that people, phones and attackers write.
pub(crate) fn content(chance: &mut Chance) -> String {
    const PIECES: [&str; 24] = [
        "CS-7Q2M0XK4V9T1BHNE",
        " ",
        "  ",
        "\n",
        "\r\n",
        "\t",
        "&",
        "=",
        "+",
        "%",
        "%2B",
        "%zz",
        "\"",
        "\\",
        "\u{0}",
        "é",
        "ß",
        "日本",
        "😀",
        "👩\u{200d}🚀",
        "\u{2028}",
        "\u{feff}",
        "'",
        "a_b",
    ];
    let pieces = chance.below(12);
    (0..pieces).map(|_| chance.pick(&PIECES)).collect()
}

pub(crate) fn text(chance: &mut Chance) -> InboundMessage {
    InboundMessage {
        provider: "",
        channel: chance.pick(&[Channel::Sms, Channel::WhatsApp]),
        message_id: format!("m-{}", chance.any()),
        from: format!("+{}", 1_000_000 + chance.any() % 1_000_000_000_000),
        to: "+12025550199".to_owned(),
        text: content(chance),
        carrier: None,
    }
}

pub(crate) fn public_url(chance: &mut Chance) -> PublicUrl {
    let urls = [
        "https://text.example.com",
        "https://text.example.com:443",
        "https://text.example.com:8443",
        "https://text.example.com/a/b",
        "http://text.example.com:80",
        "http://127.0.0.1:8787",
    ];
    chance.pick(&urls).parse().unwrap()
}

pub(crate) fn now() -> Timestamp {
    let now = SystemTime::UNIX_EPOCH.elapsed().unwrap().as_millis();
    Timestamp::from_millis(u64::try_from(now).unwrap())
}

pub(crate) fn encode(text: &str) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"-._~".contains(&b);
    text.bytes()
        .map(|b| match b {
            b if plain(b) => char::from(b).to_string(),
            b => format!("%{b:02x}"),
        })
        .collect()
}

pub(crate) fn form(pairs: &[(String, String)]) -> String {
    let pairs = pairs
        .iter()
        .map(|(name, value)| format!("{}={}", encode(name), encode(value)));
    pairs.collect::<Vec<_>>().join("&")
}

/// Generates parameters that the library can sign, including unknown, empty and repeated ones.
pub(crate) fn parameters(chance: &mut Chance, repeated: bool) -> Vec<(String, String)> {
    let mut pairs = vec![
        ("From".to_owned(), "+12025550100".to_owned()),
        ("Body".to_owned(), content(chance)),
        ("Empty".to_owned(), String::new()),
    ];
    for _ in 0..chance.below(6) {
        let name = chance.pick(&["a", "A", "B", "from", "Zz", "é", "name with space"]);
        if repeated || pairs.iter().all(|(other, _)| other != name) {
            pairs.push((name.to_owned(), content(chance)));
        }
    }
    pairs
}
