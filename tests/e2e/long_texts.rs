//! Texts crafted to be slow to parse.

use std::path::Path;

use crate::support::{Receiver, Server, countersign, data_dir, deliver_text, unless_hung};

/// Number of code prefixes in addition to the demo app's.
const PREFIXES: u8 = 50;
/// Size of a text in bytes, almost the maximum.
const MAX_TEXT: usize = 8_190;

fn run(data: &Path, args: &[&str]) {
    let output = countersign(data, args);
    assert!(output.status.success(), "{args:?}: {output:?}");
}

/// Gives one app many prefixes, one after the other. The server searches texts for every prefix that any
/// app ever had.
fn give_prefixes(data: &Path) {
    run(data, &["app", "create", "shop", "--sender", "+12025550111"]);
    for n in 0..PREFIXES {
        let letter = |n: u8| char::from(b'A' + n % 26);
        let prefix = format!("SH{}{}", letter(n / 26), letter(n));
        run(data, &["app", "update", "shop", "--code-prefix", &prefix]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn long_texts_do_not_delay_a_short_one() {
    let data = data_dir();
    let server = Server::start(data.path());
    give_prefixes(data.path());
    let receiver = Receiver::start().await;
    let (id, message) = server.acquire(&receiver.url).await;

    let slow = [" ", "\u{3000}", "-", "SHAA-0 "].map(|piece| {
        let (facts, text) = (server.facts.clone(), piece.repeat(MAX_TEXT / piece.len()));
        tokio::spawn(async move {
            let answer = deliver_text(&facts, "long", "+12025550100", &text).await;
            answer.unwrap().ok()
        })
    });
    unless_hung("a short text among long ones", async {
        let text = deliver_text(&server.facts, "short", "+12025550100", &message).await;
        text.unwrap().ok();
        assert_eq!(receiver.next().await.json()["confirmationId"], id);
    })
    .await;
    for text in slow {
        unless_hung("a long text", text).await.unwrap();
    }
}
