//! Items of logins and of the history of logins.

use countersign_conformance::samples::logins::{
    answer_of, check_code, clear_with_proof, denial, login_id, new_login, phone, receipt, sealed,
    sealed_id, sealed_login, watcher,
};
use countersign_conformance::samples::{MILLI, NOW, attempt, signature};
use countersign_domain::delivery::Progress;
use countersign_domain::delivery::transitions::Owes as _;
use countersign_domain::login::risk::{
    BrowserMark, ConfirmedLogin, DENIALS, Denials, Flag, PersonHistory,
};
use countersign_domain::login::sighting::{Coordinates, NetworkClass, Place, Sighting, UserAgent};
use countersign_domain::login::transitions::{confirm, deny, initiate, redeem};
use countersign_domain::login::{BlockReason, DenyReason, Login, State};
use countersign_domain::web::callback_url::CallbackUrl;

use crate::store::attributes::{DUE_AT, DUE_SHARD, REVISION, TTL, VERSION, denials, person};
use countersign_records::RecordError;

use crate::store::item::{AttributeValue, Item, number, text as string};
use crate::store::record::{decode_person, encode_login, encode_person, from_item};

fn in_state(item: &Login, state: State) -> Login {
    let mut item = item.clone();
    item.state = state;
    item
}

/// One of every kind of item.
fn items() -> Vec<Login> {
    let created = new_login(1);
    let mut bare = sealed_login(1);
    let address = "2001:db8::7".parse().unwrap();
    let (agent, place) = (UserAgent::default(), Place::default());
    bare.browser = Sighting::new(address, agent, place, NetworkClass::Unknown);
    bare.callback = CallbackUrl::from_stored("https://shop.example/logins").ok();
    bare.watchers = vec![watcher(1), watcher(2)];
    let mut nameless = phone(1, &[], NOW);
    nameless.user = None;
    let opened = |item: &Login, phone| {
        let opened = initiate(Some(item.clone()), &item.app, phone, NOW);
        opened.write.unwrap()
    };
    let flags = [Flag::NewBrowser, Flag::DenialsRefused];
    let risky = opened(&created, phone(1, &flags, NOW));
    let scanned = opened(&bare, nameless);
    let owed = confirm(Some(scanned.clone()), answer_of(1, sealed()), NOW);
    let owed = owed.write.unwrap();
    let mut under_way = owed.clone();
    if let Some(notice) = &mut under_way.notice {
        notice.delivery.attempts_claimed = 2;
        notice.delivery.attempts.push(attempt(1, 503));
        notice.delivery.signature = Some(signature(1));
        if let Progress::Pending { claimed_at, .. } = &mut notice.delivery.progress {
            *claimed_at = Some(NOW);
        }
    }
    let consumed = redeem(
        Some(owed.clone()),
        &bare.browser_token,
        &receipt(1),
        None,
        NOW,
    );
    let denied = deny(Some(scanned.clone()), denial(1, "no"), NOW);
    let mut mismatch = denial(1, "");
    mismatch.reason = Some(DenyReason::KeyMismatch);
    let mismatch = deny(Some(scanned.clone()), mismatch, NOW);
    let mut told = new_login(1);
    told.callback.clone_from(&bare.callback);
    let told = opened(&told, phone(1, &[], NOW));
    let told = confirm(Some(told), answer_of(1, clear_with_proof("yes")), NOW).write;
    let redeemed = redeem(told.clone(), &bare.browser_token, &receipt(1), None, NOW);
    let mut checked = sealed_login(1);
    checked.requires_check_code = true;
    let mut showing = phone(1, &[], NOW);
    showing.check_code = Some(check_code(7));
    let shown = opened(&checked, showing);
    let guess = |item: &Login, number| {
        let (own, code) = (item.browser_token, Some(check_code(number)));
        let guessed = redeem(Some(item.clone()), &own, &receipt(1), code, NOW);
        guessed.write.unwrap()
    };
    let unchecked = confirm(Some(shown.clone()), answer_of(1, sealed()), NOW);
    let missed = guess(&unchecked.write.unwrap(), 99);
    let guessed = guess(&missed, 7);
    let first = risky.phone().cloned().map(Box::new);
    let blocked = |reason| {
        let phone = first.clone().unwrap();
        in_state(
            &risky,
            State::Blocked {
                phone,
                at: NOW,
                reason,
            },
        )
    };
    let cancelled = |phone| in_state(&created, State::Cancelled { phone, at: NOW });
    vec![
        created.clone(),
        bare,
        scanned,
        owed,
        under_way,
        consumed.write.unwrap(),
        denied.write.unwrap(),
        blocked(BlockReason::SecondPhone),
        blocked(BlockReason::Risk),
        cancelled(None),
        cancelled(first.clone()),
        risky.clone(),
        mismatch.write.unwrap(),
        told.unwrap(),
        redeemed.write.unwrap(),
        shown,
        missed,
        guessed,
        blocked(BlockReason::CheckCode),
    ]
}

fn encode(item: &Login) -> Item {
    encode_login(item).unwrap()
}

fn read(item: &Login, stored: &Item) -> Result<Login, RecordError> {
    from_item(item.id, stored)
}

#[test]
fn every_kind_of_login_reads_back() {
    for item in items() {
        let stored = encode(&item);
        assert_eq!(read(&item, &stored).unwrap(), item);
        let owed = item.due_at().is_some();
        assert_eq!(stored.contains_key(DUE_AT), owed);
        assert_eq!(stored.contains_key(DUE_SHARD), owed);
    }
}

#[test]
fn encrypted_payloads_are_stored_without_base64() {
    let owed = &items()[3];
    let stored = encode(owed);
    let payload = &stored["y"];
    assert!(
        matches!(payload, AttributeValue::B(sealed) if sealed.as_ref().len() == 90),
        "{payload:?}"
    );
}

#[test]
fn absent_and_mistyped_attributes_are_refused() {
    for item in items() {
        let stored = encode(&item);
        for name in stored.keys() {
            let mut spoiled = stored.clone();
            spoiled.insert(name.clone(), AttributeValue::Null(true));
            let answer = read(&item, &spoiled);
            // Only DynamoDB and its index use these attributes.
            if [TTL, DUE_SHARD].contains(&name.as_str()) {
                answer.unwrap();
                continue;
            }
            let error = answer.unwrap_err();
            assert!(
                matches!(error, RecordError::Malformed | RecordError::Invalid(_)),
                "{name}: {error}"
            );
            spoiled.remove(name);
            // An item without the attribute is refused, or reads as a different login.
            let empty_list = ["l", "da"].contains(&name.as_str());
            if let (Ok(other), false) = (read(&item, &spoiled), empty_list) {
                assert_ne!(other, item, "{name}");
            }
        }
    }
}

#[test]
fn values_that_the_domain_refuses_are_refused() {
    let stored = encode(&items()[4]);
    for (name, value, field) in [
        ("a", string("Not a name"), "app"),
        ("o", string("ftp://shop.example"), "origin"),
        ("u", string("ftp://example.com"), "callback"),
        ("t", crate::store::item::bytes([1; 31]), "browser_token"),
        ("k", crate::store::item::bytes([1; 65]), "key"),
        ("l", AttributeValue::L(vec![string("a b")]), "watchers"),
        ("y", crate::store::item::bytes([1; 90]), "payload"),
    ] {
        let mut spoiled = stored.clone();
        assert!(spoiled.contains_key(name), "{name}");
        spoiled.insert(name.to_owned(), value);
        let error = from_item::<Login>(sealed_id(1), &spoiled).unwrap_err();
        assert_eq!(error, RecordError::Invalid(field));
    }
    for (name, value) in [
        ("s", string("x")),
        ("c", AttributeValue::N("-1".to_owned())),
    ] {
        let mut spoiled = stored.clone();
        spoiled.insert(name.to_owned(), value);
        let error = from_item::<Login>(sealed_id(1), &spoiled).unwrap_err();
        assert_eq!(error, RecordError::Malformed, "{name}");
    }
}

#[test]
fn phones_that_the_domain_refuses_are_refused() {
    let unknown_flag = AttributeValue::L(vec![string("x")]);
    for (within, name, value, field) in [
        (Some("s"), "i", crate::store::item::bytes([1; 5]), "address"),
        (Some("s"), "c", string("Germany"), "country"),
        (Some("s"), "y", string("\u{7}"), "city"),
        (
            Some("s"),
            "n",
            AttributeValue::N("900001".to_owned()),
            "coordinates",
        ),
        (Some("s"), "w", string("x"), "network"),
        (None, "p", string(""), "user"),
        (None, "f", unknown_flag, "flags"),
        (None, "t", crate::store::item::bytes([1; 31]), "token"),
    ] {
        let mut spoiled = encode(&items()[11]);
        let Some(AttributeValue::M(phone)) = spoiled.get_mut("m") else {
            panic!("there is a phone");
        };
        let map = match within {
            None => phone,
            Some(within) => match phone.get_mut(within) {
                Some(AttributeValue::M(map)) => map,
                _ => panic!("`{within}` is no map"),
            },
        };
        assert!(map.contains_key(name), "{name}");
        map.insert(name.to_owned(), value);
        let error = from_item::<Login>(login_id(1), &spoiled).unwrap_err();
        assert_eq!(error, RecordError::Invalid(field));
    }
}

#[test]
fn check_code_is_stored_exactly_where_the_login_requires_one() {
    let [shown, missed] = [&items()[15], &items()[16]].map(encode);
    let within = |item: &Item, change: &dyn Fn(&mut Item)| {
        let mut spoiled = item.clone();
        let Some(AttributeValue::M(phone)) = spoiled.get_mut("m") else {
            panic!("there is a phone");
        };
        change(phone);
        from_item::<Login>(sealed_id(1), &spoiled)
    };
    let without = within(&shown, &|phone| drop(phone.remove("c")));
    assert_eq!(without, Err(RecordError::Missing("check_code")));
    let large = within(&shown, &|phone| {
        phone.insert("c".to_owned(), number(100_u32));
    });
    assert_eq!(large, Err(RecordError::Invalid("check_code")));
    let mut lax = shown.clone();
    lax.remove("rc");
    let lax = from_item::<Login>(sealed_id(1), &lax);
    assert_eq!(lax, Err(RecordError::Invalid("check_code")));
    for codes in [&[1, 1][..], &[1, 2, 3], &[100]] {
        let codes = codes.iter().map(|code: &u32| number(*code)).collect();
        let mut spoiled = missed.clone();
        spoiled.insert("ym".to_owned(), AttributeValue::L(codes));
        let read = from_item::<Login>(sealed_id(1), &spoiled);
        assert_eq!(read, Err(RecordError::Invalid("missed")));
    }
}

#[test]
fn denials_read_back() {
    let versioned = |pairs: &[(usize, u64)]| {
        let slots = pairs.iter();
        let slots = slots.map(|(slot, at)| (denials::slot(*slot), number(*at)));
        let mut item: Item = slots.collect();
        item.insert(VERSION.to_owned(), number(2_u32));
        item
    };
    let now = NOW.as_millis();
    let read = from_item::<Denials>((), &versioned(&[(0, now), (1, now - 1), (2, 0)])).unwrap();
    let before = countersign_domain::primitives::time::Timestamp::from_millis(now - 1);
    assert_eq!(read, Denials::default().with(before).with(NOW));
    // Slots that a later release may add are ignored.
    let more = from_item::<Denials>((), &versioned(&[(DENIALS, now)])).unwrap();
    assert_eq!(more, Denials::default());
    let mut spoiled = versioned(&[]);
    spoiled.insert(denials::slot(0), string("x"));
    assert!(from_item::<Denials>((), &spoiled).is_err());
}

#[test]
fn history_of_a_person_reads_back() {
    let login = |n: u8, coordinates, at| ConfirmedLogin {
        browser: BrowserMark::from_bytes([n; 16]),
        coordinates,
        at,
    };
    let here = Coordinates::from_units(-899_999, 1).ok();
    let nowhere = PersonHistory::default().with(login(1, None, NOW));
    let somewhere = nowhere.clone().with(login(2, here, NOW.plus(MILLI)));
    for history in [nowhere, somewhere] {
        let mut stored = encode_person(&history).unwrap();
        stored.insert(VERSION.to_owned(), number(2_u32));
        stored.insert(REVISION.to_owned(), number(7_u32));
        assert_eq!(decode_person(&stored).unwrap(), (history, 7));
    }
    for spoiled in [
        AttributeValue::M(Item::from([("x".to_owned(), number(1_u32))])),
        AttributeValue::M(Item::from([("00".to_owned(), number(1_u32))])),
        string("x"),
    ] {
        let item = Item::from([
            (VERSION.to_owned(), number(2_u32)),
            (person::BROWSERS.to_owned(), spoiled),
        ]);
        assert_eq!(decode_person(&item), Err(RecordError::Malformed));
    }
}
