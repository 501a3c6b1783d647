//! Compares formats for records by size in bytes and by time to write and to read in nanoseconds.
//!
//! `cargo bench -p countersign-records` prints the table of ADR 63.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a benchmark that cannot run panics, and prints its results"
)]

use std::hint::black_box;
use std::time::Instant;

use countersign_conformance::samples::logins::{answer_of, phone, sealed, sealed_login, watcher};
use countersign_conformance::samples::{
    NOW, acquisition, attempt, signature, text, verified, with_delivery,
};
use countersign_domain::confirmation::Confirmation;
use countersign_domain::delivery::signing::KeyId;
use countersign_domain::delivery::{KeptSignature, Progress};
use countersign_domain::login::Login;
use countersign_domain::login::risk::Flag;
use countersign_domain::login::transitions::{confirm, initiate};
use countersign_records::{Entity, RecordError, compact};

/// Number of calls per run.
const ITERATIONS: u32 = 20_000;

fn main() {
    println!("| Record | Format | Bytes | Write (ns) | Read (ns) |\n|---|---|---|---|---|");
    let open = acquisition(1);
    measure("open acquisition", &open, open.id);
    let delivered = delivered();
    measure("delivered acquisition", &delivered, delivered.id);
    let created = created();
    measure("new login", &created, created.id);
    let confirmed = confirmed();
    measure("confirmed login", &confirmed, confirmed.id);
}

/// Returns an acquisition whose webhook was delivered, with a signature of realistic length.
fn delivered() -> Confirmation {
    with_delivery(&verified(&acquisition(1), &text(1), NOW), |delivery| {
        delivery.attempts_claimed = 1;
        delivery.attempts.push(attempt(1, 200));
        delivery.signature = Some(KeptSignature {
            key_id: KeyId::from_stored("xx0BcA-wMohw8atYDJOe6peGModklG2wRHBlXHMvl0M".to_owned()),
            der: vec![0x30; 72],
            ..signature(1)
        });
        delivery.progress = Progress::Delivered { at: NOW };
    })
}

/// Returns a login that waits for a phone and whose browser sent a key.
fn created() -> Login {
    let mut login = sealed_login(1);
    login.watchers = vec![watcher(1)];
    login
}

/// Returns a login that a phone confirmed with an encrypted payload.
fn confirmed() -> Login {
    let login = created();
    let app = login.app.clone();
    let scanned = initiate(Some(login), &app, phone(1, &[Flag::NewBrowser], NOW), NOW).write;
    let confirmed = confirm(scanned, answer_of(1, sealed()), NOW).write;
    confirmed.unwrap_or_else(created)
}

fn measure<E: Entity>(name: &str, entity: &E, id: E::Id)
where
    E::Id: Copy,
{
    row(
        name,
        "MessagePack",
        || compact::encode(entity),
        |bytes| compact::decode::<E>(id, bytes),
    );
    row(
        name,
        "CBOR",
        || {
            let bytes = Vec::with_capacity(512);
            let written = cbor4ii::serde::to_vec(bytes, &entity.record());
            written.map_err(|_| RecordError::Unwritable)
        },
        |bytes| {
            let record = cbor4ii::serde::from_slice(bytes).map_err(|_| RecordError::Malformed)?;
            E::from_record(id, record)
        },
    );
}

fn row<E>(
    name: &str,
    format: &str,
    write: impl Fn() -> Result<Vec<u8>, RecordError>,
    read: impl Fn(&[u8]) -> Result<E, RecordError>,
) {
    let Ok(bytes) = write() else {
        println!("| {name} | {format} | cannot be written | | |");
        return;
    };
    if read(&bytes).is_err() {
        println!("| {name} | {format} | cannot be read | | |");
        return;
    }
    let writing = nanoseconds(|| drop(black_box(write())));
    let reading = nanoseconds(|| drop(black_box(read(black_box(&bytes)))));
    let length = bytes.len();
    println!("| {name} | {format} | {length} | {writing} | {reading} |");
}

/// Returns the mean time of a call in the fastest of five runs, in nanoseconds.
fn nanoseconds(call: impl Fn()) -> u128 {
    let run = || {
        let start = Instant::now();
        for _ in 0..ITERATIONS {
            call();
        }
        start.elapsed().as_nanos() / u128::from(ITERATIONS)
    };
    (0..5).map(|_| run()).min().unwrap_or_default()
}
