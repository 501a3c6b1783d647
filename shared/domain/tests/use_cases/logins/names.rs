//! Names that strangers can claim, and users who are verified by proofs.

use std::sync::atomic::Ordering;
use std::time::Duration;

use countersign_conformance::samples::association_keys::user;
use countersign_conformance::samples::logins::mobile_token;
use countersign_domain::login::Login;
use countersign_domain::login::history::{HistoryQuery, NamedUser};
use countersign_domain::login::risk::{Familiarity, Flag, NameHistory, Novelty};
use proptest::collection::vec;
use proptest::prelude::*;

use super::host::{ABROAD, BROWSER, Logins, PHONE, SHOP};
use super::proofs::{private_key, sign};
use crate::world::now_or_never;

/// Another user's browser.
const OTHER: &str = "203.0.113.99";

impl Logins {
    /// Opens a login of the browser at one address on a phone at another.
    fn opened_from(&self, browser: &str, phone: &str, name: Option<&str>) -> Login {
        let id = self.create_from(Some(SHOP), browser).unwrap().login.id;
        let token = mobile_token(1);
        self.initiate_from(phone, id, &token, name).unwrap()
    }

    /// Confirms a login under a name without a proof, and returns its flags.
    fn claim(&self, name: &str, browser: &str, phone: &str) -> Vec<Flag> {
        let login = self.opened_from(browser, phone, Some(name));
        self.confirm(login.id, 1, "yes").unwrap();
        flags(&login)
    }

    /// Confirms a login with a proof by key 1, and returns its flags.
    fn prove(&self, name: Option<&str>, browser: &str) -> Vec<Flag> {
        let login = self.opened_from(browser, PHONE, name);
        let payload = sign(&private_key(1), &self.claims(&login));
        self.confirm_with(login.id, payload).unwrap();
        flags(&login)
    }

    /// Returns the remembered logins of zoe, compared with a login in [`BROWSER`].
    fn remembered(&self) -> NameHistory {
        let login = self.create().login;
        let query = HistoryQuery {
            app: login.app.clone(),
            browser: login.browser.block(),
            user: Some(NamedUser::new(&user("zoe"), &login.app, &login.browser)),
        };
        let found = now_or_never(self.world.store.recent(&query, self.world.now()));
        found.unwrap().name.unwrap()
    }
}

fn flags(login: &Login) -> Vec<Flag> {
    login.phone().unwrap().risk.flags().to_vec()
}

/// Returns logins of an app that registered key 1 for zoe.
fn with_zoe() -> Logins {
    let logins = Logins::new();
    logins.register(&private_key(1), "zoe");
    logins
}

#[test]
fn verified_confirmation_writes_verified_history_only() {
    for name in [Some("zoe"), None] {
        let logins = with_zoe();
        logins.names.full.store(true, Ordering::SeqCst);
        logins.prove(name, BROWSER);
        let NameHistory { verified, claimed } = logins.remembered();
        assert_eq!(verified.browser, Novelty::Known, "{name:?}");
        assert!(verified.last_confirmation.is_some());
        assert_eq!(claimed, Familiarity::default());
        assert_eq!(logins.prove(Some("zoe"), OTHER), [Flag::NewBrowser]);
        // The limit on new names does not apply to verified users.
        assert_eq!(logins.world.count("qr_name_limited"), 0);
        assert_eq!(logins.names.counted.load(Ordering::SeqCst), 0);
    }
}

#[test]
fn claimed_confirmation_writes_claimed_history_only() {
    let logins = with_zoe();
    logins.claim("zoe", BROWSER, PHONE);
    let NameHistory { verified, claimed } = logins.remembered();
    assert_eq!(verified, Familiarity::default());
    assert_eq!(claimed.browser, Novelty::Known);
    assert_eq!(logins.names.counted.load(Ordering::SeqCst), 1);
}

#[test]
fn stranger_cannot_silence_a_warning_about_a_verified_user() {
    let logins = with_zoe();
    logins.prove(Some("zoe"), BROWSER);
    for _ in 0..3 {
        logins.claim("zoe", OTHER, PHONE);
    }
    // An attacker who relays the code to zoe gains nothing from having used this browser before.
    let relayed = logins.opened_from(OTHER, PHONE, Some("zoe"));
    assert_eq!(flags(&relayed), [Flag::NewBrowser]);
}

#[test]
fn stranger_cannot_cause_a_warning_about_a_verified_user() {
    let logins = with_zoe();
    logins.prove(Some("zoe"), BROWSER);
    for n in 1..=9 {
        logins.claim("zoe", &format!("203.0.113.{}", 200 + n), ABROAD);
    }
    logins.claim("zoe", BROWSER, ABROAD);
    let login = logins.opened_from(BROWSER, PHONE, Some("zoe"));
    assert_eq!(flags(&login), []);
}

#[test]
fn unverified_name_is_judged_by_claims() {
    let logins = with_zoe();
    logins.claim("max", BROWSER, ABROAD);
    let login = logins.opened_from(BROWSER, PHONE, Some("max"));
    assert_eq!(flags(&login), [Flag::TooFast]);
    let login = logins.opened_from(OTHER, PHONE, Some("max"));
    assert_eq!(flags(&login), [Flag::NewBrowser]);
}

#[test]
fn failing_history_does_not_fail_a_verified_confirmation() {
    let logins = with_zoe();
    logins.break_history();
    logins.prove(Some("zoe"), BROWSER);
    assert_eq!(logins.world.count("qr_history_failed"), 1);
}

#[test]
fn anonymous_users_share_no_history() {
    let logins = Logins::new();
    for name in [None, Some("ANON")] {
        for browser in [BROWSER, OTHER] {
            let login = logins.opened_from(browser, ABROAD, name);
            assert_eq!(login.phone().unwrap().user, None);
            logins.confirm(login.id, 1, "yes").unwrap();
        }
    }
    assert_eq!(logins.names.counted.load(Ordering::SeqCst), 0);
    let login = logins.opened_from(BROWSER, PHONE, Some("ANON"));
    assert_eq!(flags(&login), [Flag::NameUnchecked]);
    let login = logins.opened_from(BROWSER, PHONE, Some("anon"));
    assert_eq!(flags(&login), [], "this is a name like any other");
}

#[test]
fn phone_that_names_anon_has_named_no_user() {
    let logins = with_zoe();
    let login = logins.opened_from(BROWSER, PHONE, Some("ANON"));
    let again = logins.initiate_as(login.id, &mobile_token(1), None);
    assert_eq!(again.unwrap(), login);
    // Therefore, a proof by any user is accepted, and the app's server sees that the phone claimed
    // no user.
    let payload = sign(&private_key(1), &logins.claims(&login));
    logins.confirm_with(login.id, payload).unwrap();
    let found = logins.world.login(login.id);
    let verified = found.verified_user().map(|verified| &verified.user);
    assert_eq!(verified, Some(&user("zoe")));
    assert_eq!(found.phone().unwrap().user, None);
}

/// A login under zoe's name: by zoe with a proof, or by a stranger without one.
#[derive(Clone, Copy, Debug)]
struct Step {
    by_stranger: bool,
    browser: u8,
    abroad: bool,
    minutes: u64,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = (any::<bool>(), 0_u8..4, any::<bool>(), 0_u64..600);
    let step = step.prop_map(|(by_stranger, browser, abroad, minutes)| Step {
        by_stranger,
        browser,
        abroad,
        minutes,
    });
    vec(step, 1..12)
}

/// Performs the steps after a first verified login, and returns the flags of each of zoe's logins.
fn flags_of_zoe(steps: &[Step], is_stranger_there: bool) -> Vec<Vec<Flag>> {
    let logins = with_zoe();
    let mut found = vec![logins.prove(Some("zoe"), BROWSER)];
    for step in steps {
        logins.world.pass(Duration::from_mins(step.minutes));
        let browser = format!("203.0.113.{}", 7 + step.browser);
        if !step.by_stranger {
            found.push(logins.prove(Some("zoe"), &browser));
        } else if is_stranger_there {
            let phone = if step.abroad { ABROAD } else { PHONE };
            logins.claim("zoe", &browser, phone);
        }
    }
    found
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn stranger_never_changes_the_judgement_of_a_verified_user(steps in steps()) {
        prop_assert_eq!(flags_of_zoe(&steps, true), flags_of_zoe(&steps, false));
    }
}
