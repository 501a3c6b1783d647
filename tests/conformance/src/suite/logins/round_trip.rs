//! Every field of a login is read back as it was written.

use countersign_domain::login::risk::{Assessment, Flag, RiskStatus};
use countersign_domain::login::sighting::{
    City, Coordinates, CountryCode, NetworkClass, Place, Sighting, UserAgent,
};
use countersign_domain::login::transitions::{ConfirmOutcome, InitiateOutcome};
use countersign_domain::login::{
    BrowserPublicKey, BrowserTokenHash, CheckCode, ClaimedUserId, Encryption, Login,
    MobileTokenHash, Opener, Phone, State,
};
use countersign_domain::primitives::ids::{LoginId, LoginKind};
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::web::callback_url::CallbackUrl;
use countersign_domain::web::origin::WebOrigin;

use super::steps::{Store, create, stored};
use crate::chance::Chance;
use crate::check::{Checked, Failure, holds};
use crate::samples::logins::{
    answer_of, check_code, clear, clear_with_proof, in_state, new_login, sealed, sealed_login,
    sealed_with_proof, server,
};
use crate::samples::{NOW, app_id};
use crate::stores::Stores;
use crate::suite::Case;

pub(super) const CASES: &[Case<Stores>] = &[
    Case {
        name: "login round trip: sightings of the browser and the phone are preserved",
        run: |store| Box::pin(sightings(store)),
    },
    Case {
        name: "login round trip: payloads are preserved",
        run: |store| Box::pin(payloads(store)),
    },
    Case {
        name: "login round trip: times and arbitrary bytes are preserved",
        run: |store| Box::pin(times_and_bytes(store)),
    },
];

fn some_place(chance: &mut Chance) -> Place {
    let cities = ["Köln", "東京", "a \"b\" \\ 'c'", "x"];
    let corners = [
        (900_000, 1_800_000),
        (-900_000, -1_800_000),
        (0, 0),
        (-1, 7),
    ];
    let (latitude, longitude) = chance.one_of(&corners);
    Place {
        country: (!chance.once_in(3))
            .then(|| {
                chance
                    .one_of(&["DE", "ZZ", "US"])
                    .parse::<CountryCode>()
                    .ok()
            })
            .flatten(),
        city: (!chance.once_in(3))
            .then(|| City::new(chance.one_of(&cities)))
            .flatten(),
        coordinates: (!chance.once_in(3))
            .then(|| Coordinates::from_units(latitude, longitude).ok())
            .flatten(),
    }
}

fn some_sighting(chance: &mut Chance) -> Result<Sighting, Failure> {
    let addresses = [
        "0.0.0.0",
        "255.255.255.255",
        "2001:db8::1",
        "::",
        "203.0.113.7",
    ];
    let agents = ["", "curl/8.9", "Mozilla/5.0 (日本) \"x\" \\"];
    let address = chance.one_of(&addresses).parse();
    Ok(Sighting::new(
        address.map_err(|_| Failure::new("invalid sample: address"))?,
        UserAgent::new(chance.one_of(&agents)),
        some_place(chance),
        chance.one_of(&NetworkClass::ALL),
    ))
}

/// Draws a login with the `n`th id, which has a browser key if `n` is odd, created at `now`.
pub(super) fn some_login(chance: &mut Chance, n: u8, now: Timestamp) -> Result<Login, Failure> {
    let origins = [
        "https://shop.example",
        "http://localhost:3000",
        "https://xn--bcher-kva.example",
    ];
    let openers = [
        Opener::Page,
        server(None),
        server(Some("Pay 20 EUR\nto Zoë")),
    ];
    // Only the id of a login with a key can vouch for a context.
    let (sample, opener) = if n.is_multiple_of(2) {
        (new_login(n), Opener::Page)
    } else {
        (sealed_login(n), chance.one_of(&openers))
    };
    let lifetime = sample.purge_at.since(NOW);
    let requires_check_code = chance.once_in(2);
    let browser = some_sighting(chance)?;
    Ok(Login {
        app: app_id(chance.one_of(&["demo", "demo", "demo", "other"])),
        origin: chance
            .one_of(&origins)
            .parse::<WebOrigin>()
            .map_err(|_| Failure::new("invalid sample: origin"))?,
        opener,
        browser,
        requires_check_code,
        callback: if chance.once_in(2) {
            CallbackUrl::from_stored("https://shop.example/logins?a=\u{e9}").ok()
        } else {
            None
        },
        created_at: now,
        state: State::Created {
            expires_at: now.plus(sample.expires_at().since(NOW)),
        },
        purge_at: now.plus(lifetime),
        ..sample
    })
}

/// Draws one of all check codes.
pub(super) fn some_check_code(chance: &mut Chance) -> CheckCode {
    check_code(u8::try_from(chance.below(100)).unwrap_or(0))
}

/// Draws a phone with this token that opened a login at `now`, with a check code if it needs one.
pub(super) fn some_phone(
    chance: &mut Chance,
    token: MobileTokenHash,
    needs_code: bool,
    now: Timestamp,
) -> Result<Phone, Failure> {
    let users = ["ANON", "zoë@example.com", "\"quoted\" \\ user"];
    let user = (!chance.once_in(3)).then(|| chance.one_of(&users).parse::<ClaimedUserId>());
    let flags = (0..chance.below(5)).map(|_| chance.one_of(&Flag::ALL));
    let risk = Assessment::of(flags.collect::<Vec<_>>());
    Ok(Phone {
        token,
        sighting: some_sighting(chance)?,
        user: user
            .transpose()
            .map_err(|_| Failure::new("invalid sample: user"))?,
        risk,
        scanned_at: now,
        verified: None,
        check_code: needs_code.then(|| some_check_code(chance)),
    })
}

async fn sightings(store: Store) -> Checked {
    let mut chance = Chance::of(29);
    for n in 0..40 {
        let item = some_login(&mut chance, n, NOW)?;
        create(&store, &item).await?;
        stored(&store, &item, NOW).await?;
        let token = MobileTokenHash::from_bytes(chance.bytes());
        let phone = some_phone(&mut chance, token, item.requires_check_code, NOW)?;
        let outcome = store
            .logins
            .initiate(item.id, &item.app, phone.clone(), NOW)
            .await?;
        holds(
            "the phone opened the login",
            matches!(outcome, InitiateOutcome::Opened(_)),
        )?;
        let state = State::Scanned {
            phone: Box::new(phone),
            expires_at: NOW.plus(countersign_domain::login::SCANNED),
        };
        stored(&store, &in_state(&item, state), NOW).await?;
    }
    // Every risk flag by itself.
    for (n, flag) in (100..).zip(Flag::ALL) {
        let item = new_login(n);
        create(&store, &item).await?;
        super::steps::initiate(&store, &item, &[flag], NOW).await?;
        let found = store.logins.find(item.id, NOW).await?;
        let phone = found.as_ref().and_then(Login::phone);
        let flags = phone.map(|phone| phone.risk.flags().to_vec());
        holds(flag.as_str(), flags == Some(vec![flag]))?;
    }
    Ok(())
}

async fn payloads(store: Store) -> Checked {
    let longest = "\u{7f}".repeat(countersign_domain::login::payload::MAX_BYTES);
    let texts = [
        "",
        " ",
        "{\"a\":\"\\u0000\"}",
        "\u{0}\u{1}\n\"\\",
        "Grüße 👩‍👩‍👧",
        &longest,
    ];
    let others = [clear_with_proof("yes"), sealed(), sealed_with_proof()];
    let all = texts.into_iter().map(clear).chain(others);
    for (n, payload) in (1..).zip(all) {
        let item = if payload.is_encrypted() {
            sealed_login(n)
        } else {
            new_login(n)
        };
        create(&store, &item).await?;
        let item = super::steps::initiate(&store, &item, &[], NOW).await?;
        let outcome = store
            .logins
            .confirm(item.id, answer_of(1, payload.clone()), NOW)
            .await?;
        let ConfirmOutcome::Confirmed(item) = outcome else {
            return Err(Failure::new(format_args!("confirm answered {outcome:?}")));
        };
        stored(&store, &item, NOW).await?;
        let State::Confirmed { payload: kept, .. } = &item.state else {
            return Err(Failure::new("the login is not confirmed"));
        };
        holds("the stored payload is the one sent", *kept == payload)?;
    }
    Ok(())
}

async fn times_and_bytes(store: Store) -> Checked {
    let mut chance = Chance::of(31);
    for at in [0, 1, 999, 1_767_323_045_001, 1 << 41] {
        let now = Timestamp::from_millis(at);
        let mut item = some_login(&mut chance, 1, now)?;
        item.id = LoginId::from_bytes(LoginKind::Sealed, chance.bytes());
        item.browser_token = BrowserTokenHash::from_bytes(chance.bytes());
        let mut key = chance.bytes::<65>();
        key[0] = 4;
        let key = BrowserPublicKey::from_bytes(key);
        item.encryption = Encryption::Sealed(key.map_err(|_| Failure::new("invalid sample: key"))?);
        create(&store, &item).await?;
        stored(&store, &item, now).await?;
        let token = MobileTokenHash::from_bytes(chance.bytes());
        let mut phone = some_phone(&mut chance, token, item.requires_check_code, now)?;
        if phone.risk.status() == RiskStatus::Deny {
            phone.risk = Assessment::default();
        }
        let outcome = store
            .logins
            .initiate(item.id, &item.app, phone, now)
            .await?;
        holds(
            "the phone opened the login",
            matches!(outcome, InitiateOutcome::Opened(_)),
        )?;
        let mut answer = answer_of(1, sealed_with_proof());
        answer.token = token;
        answer.fingerprint =
            countersign_domain::login::PayloadFingerprint::from_bytes(chance.bytes());
        let outcome = store.logins.confirm(item.id, answer.clone(), now).await?;
        let ConfirmOutcome::Confirmed(confirmed) = outcome else {
            return Err(Failure::new(format_args!("confirm answered {outcome:?}")));
        };
        stored(&store, &confirmed, now).await?;
        super::steps::redeem_any(&store, &confirmed, answer.fingerprint, now).await?;
        let again = store.logins.confirm(item.id, answer, now).await?;
        holds(
            "the same confirmation can be sent again",
            again == ConfirmOutcome::Repeated,
        )?;
    }
    Ok(())
}
