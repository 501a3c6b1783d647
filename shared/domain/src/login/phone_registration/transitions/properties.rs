//! Properties of registrations under any sequence of requests.

use std::time::Duration;

use proptest::prelude::*;

use super::super::state::VALIDITY;
use super::super::tokens::SetupPageToken;
use super::samples::{NOW, code, created, key, page, phone, phone_token, secret};
use super::*;
use crate::app::AppKey;
use crate::app::login::WebPhoneKey;
use crate::app::senders::SenderPool;
use crate::login::check_code::MAX_MISSES;
use crate::primitives::entropy::FixedEntropy;
use crate::primitives::ids::AppId;

/// A request, or something else that happens.
#[derive(Clone, Debug)]
enum Step {
    Wait(u64),
    Open { phone: u8, secret: u8 },
    Sign { phone: u8, key: u8, drawn: u8 },
    Type { page: u8, off: u8 },
    Cancel(Party),
    Finish { registered: bool },
    Settings { on: bool, browsers: bool },
}

#[derive(Clone, Copy, Debug)]
enum Party {
    Server { own: bool },
    Page(u8),
    Phone(u8),
}

fn step() -> impl Strategy<Value = Step> {
    // The first of each kind is the right one.
    let one = || prop_oneof![4 => Just(1_u8), 1 => Just(2_u8)];
    let wait = prop_oneof![Just(1), Just(599_998), Just(600_000), Just(87_000_000)];
    let party = prop_oneof![
        any::<bool>().prop_map(|own| Party::Server { own }),
        one().prop_map(Party::Page),
        one().prop_map(Party::Phone),
    ];
    prop_oneof![
        1 => wait.prop_map(Step::Wait),
        4 => (one(), one()).prop_map(|(phone, secret)| Step::Open { phone, secret }),
        6 => (one(), one(), 0..100_u8).prop_map(|(phone, key, drawn)| Step::Sign { phone, key, drawn }),
        6 => (one(), 0..5_u8).prop_map(|(page, off)| Step::Type { page, off }),
        1 => party.prop_map(Step::Cancel),
        3 => any::<bool>().prop_map(|registered| Step::Finish { registered }),
        1 => (any::<bool>(), any::<bool>()).prop_map(|(on, browsers)| Step::Settings { on, browsers }),
    ]
}

fn app() -> App {
    let senders = SenderPool::new([(None, "+12025550100".parse().unwrap())]).unwrap();
    let mut app = App::new(
        "shop".parse().unwrap(),
        AppKey::generate(&FixedEntropy(1)),
        NOW,
        senders,
    );
    app.login.web_phone = true;
    app.login.link_host = "login.shop.example".parse().ok();
    app
}

/// What the parties were told, from which follows what may happen.
#[derive(Default)]
struct Told {
    phone: Option<u8>,
    key: Option<u8>,
    digits: Option<CheckCode>,
    wrong: Vec<CheckCode>,
    accepted: bool,
}

struct World {
    item: PhoneRegistration,
    app: App,
    now: Timestamp,
    told: Told,
}

impl World {
    fn new() -> Self {
        Self {
            item: created(),
            app: app(),
            now: NOW,
            told: Told::default(),
        }
    }

    /// Applies a transition of a device, and returns its outcome.
    fn request<T>(
        &mut self,
        decide: impl FnOnce(Option<PhoneRegistration>) -> Outcome<T>,
    ) -> Result<T, SetupRefusal> {
        let current = Some(self.item.clone());
        let Decision { outcome, write } = unless_withdrawn(current, Some(&self.app), decide);
        if let Some(item) = write {
            assert!(self.allows(), "only while the settings allow it");
            self.item = item;
        }
        outcome
    }

    fn allows(&self) -> bool {
        let login = &self.app.login;
        login.web_phone && (self.told.key.is_none() || login.web_phone_key == WebPhoneKey::Any)
    }

    fn is_over(&self) -> bool {
        NOW.plus(VALIDITY) <= self.now
    }

    fn take(&mut self, step: &Step) {
        let now = self.now;
        match *step {
            Step::Wait(millis) => self.now = now.plus(Duration::from_millis(millis)),
            Step::Settings { on, browsers } => {
                self.app.login.web_phone = on;
                self.app.login.web_phone_key = if browsers {
                    WebPhoneKey::Any
                } else {
                    WebPhoneKey::Passkey
                };
            }
            Step::Open {
                phone: n,
                secret: link,
            } => {
                let decide = |current| open(current, &secret(link), phone(n), now);
                if self.request(decide).is_ok() {
                    assert!(link == 1 && !self.is_over());
                    assert_eq!(*self.told.phone.get_or_insert(n), n, "never a second phone");
                }
            }
            Step::Sign {
                phone: n,
                key: k,
                drawn,
            } => {
                let token = phone(n).token;
                let decide = |current| sign(current, &token, key(k), code(drawn), now);
                if let Ok(digits) = self.request(decide) {
                    assert!(self.told.phone == Some(n) && !self.is_over());
                    assert_eq!(*self.told.key.get_or_insert(k), k, "never a second key");
                    assert_eq!(*self.told.digits.get_or_insert(digits), digits);
                }
            }
            Step::Type { page: n, off } => self.type_digits(n, off),
            Step::Cancel(party) => self.cancel(party),
            Step::Finish { registered } => self.finish(registered),
        }
    }

    /// Types digits that are `off` from the right ones.
    fn type_digits(&mut self, n: u8, off: u8) {
        let now = self.now;
        let right = self.told.digits.map_or(0, CheckCode::number);
        let typed = code((right + off) % 100);
        let outcome = self.request(|current| check_digits(current, &page(n), typed, now));
        match outcome {
            Ok(()) => {
                assert_eq!(n, 1, "only the page");
                assert!(self.told.accepted || (off == 0 && !self.is_over()));
                assert!(self.told.digits.is_some(), "no phone has shown digits");
                self.told.accepted = true;
            }
            Err(SetupRefusal::DigitsWrong { tries_left }) => {
                assert!(n == 1 && off != 0);
                if !self.told.wrong.contains(&typed) {
                    self.told.wrong.push(typed);
                }
                let wrong = u8::try_from(self.told.wrong.len()).unwrap();
                assert_eq!(tries_left, MAX_MISSES - wrong);
            }
            Err(_) => {}
        }
    }

    fn cancel(&mut self, party: Party) {
        let [own, other] = ["shop", "other"].map(|name| name.parse::<AppId>().unwrap());
        let token = match party {
            Party::Phone(n) => phone_token(n).reveal(),
            Party::Page(n) => SetupPageToken::generate(&FixedEntropy(n)).reveal(),
            Party::Server { .. } => SetupPageToken::generate(&FixedEntropy(9)).reveal(),
        };
        let token = token.parse::<RegistrationToken>().unwrap();
        let by = match party {
            Party::Server { own: true } => SetupParty::Server(Scope::live(&own)),
            Party::Server { own: false } => SetupParty::Server(Scope::live(&other)),
            Party::Page(_) | Party::Phone(_) => SetupParty::Device(&token),
        };
        let Decision { outcome, write } = cancel(Some(self.item.clone()), by, self.now);
        if outcome.is_ok() {
            assert!(!self.told.accepted, "typing the digits decides");
            let is_party = match party {
                Party::Server { own } => own,
                Party::Page(n) => n == 1,
                Party::Phone(n) => self.told.phone == Some(n),
            };
            assert!(is_party, "a stranger cancels nothing");
        }
        self.item = write.unwrap_or_else(|| self.item.clone());
    }

    fn finish(&mut self, registered: bool) {
        let before = self.item.clone();
        let key_to_register = before.accepted_key(self.now);
        assert!(key_to_register.is_none() || self.told.accepted);
        let Decision { write, .. } = finish(Some(before), registered, self.now);
        assert_eq!(
            write.is_some(),
            key_to_register.is_some() && self.now < self.item.purge_at
        );
        if let Some(item) = write {
            self.item = item;
        }
    }

    /// Checks what holds after each step.
    fn check(&self, before: &PhoneRegistration) {
        let (item, told) = (&self.item, &self.told);
        let fixed = |item: &PhoneRegistration| PhoneRegistration {
            state: SetupState::Created {},
            notice: None,
            purge_at: NOW,
            ..item.clone()
        };
        assert_eq!(
            fixed(before),
            fixed(item),
            "what was created stays as it was"
        );
        if matches!(
            before.state,
            SetupState::Completed { .. } | SetupState::Failed { .. }
        ) {
            assert_eq!(before, item, "an end is final");
        }
        assert_eq!(
            item.phone().map(|phone| phone.token),
            told.phone.map(|n| phone(n).token)
        );
        if let Some((id, _)) = item.registered() {
            assert!(told.accepted, "no key without the digits");
            assert_eq!(Some(id), told.key.map(|n| key(n).point.key_id()));
        }
        assert_eq!(item.registered().is_some(), item.notice.is_some());
        assert!(told.wrong.len() < usize::from(MAX_MISSES));
        if told.accepted {
            let reason = item.failure();
            assert!(
                matches!(reason, None | Some(Failure::KeyRefused)),
                "the digits decided"
            );
        }
        let json = serde_json::to_string(item).unwrap();
        assert_eq!(
            &serde_json::from_str::<PhoneRegistration>(&json).unwrap(),
            item
        );
    }
}

proptest! {
    #[test]
    fn one_phone_proves_one_key_and_only_its_digits_register_it(
        is_signed in any::<bool>(),
        steps in prop::collection::vec(step(), 1..40),
    ) {
        let mut world = World::new();
        let signed = [
            Step::Open { phone: 1, secret: 1 },
            Step::Sign { phone: 1, key: 1, drawn: 98 },
        ];
        let start = signed.iter().filter(|_| is_signed);
        for step in start.chain(&steps) {
            let before = world.item.clone();
            world.take(step);
            world.check(&before);
        }
    }
}
