//! Properties of proofs by passkeys, for any claims and any change.

use countersign_domain::login::{Passkey, PasskeyAssertion};
use countersign_domain::primitives::time::Timestamp;
use countersign_proof::{
    Expected, ExpectedPayload, ExpectedUser, KnownKey, MAX_PROOF, ProofClaims, is_reserved, verify,
};
use proptest::prelude::*;

use crate::passkey_phone::{PasskeyPhone, joined};
use crate::support::{NOW, SALT, Server, app, encode, origin, user};

proptest! {
    #[test]
    fn proof_is_valid_for_exactly_its_facts(
        name in "[a-z0-9@.]{1,256}",
        payload in ".{0,200}",
        context in proptest::option::of("[ -~]{1,100}"),
        n in 1..=200_u8,
    ) {
        let phone = PasskeyPhone::of(n);
        let (app, origin, zoe) = (app("a"), origin("https://shop.example"), user(&name));
        let server = Server::new();
        let claims = ProofClaims {
            app: &app,
            origin: &origin,
            login: server.login,
            user: Some(&zoe),
            context: context.as_deref(),
            payload: &payload,
            salt: &SALT,
            at: Timestamp::from_millis(NOW),
        };
        let unsigned = claims.unsigned_by_passkey(&phone.key()).unwrap();
        let assertion = phone.passkey.assert(&encode(unsigned.challenge()));
        let proof = unsigned.assemble(&phone.passkey.passkey, &assertion).unwrap();
        prop_assert!(proof.len() <= MAX_PROOF);
        prop_assert!(is_reserved(&proof));
        let known = KnownKey { owner: Some(zoe.clone()), ..phone.known() };
        let expected = Expected {
            user: ExpectedUser::Exactly(Some(&zoe)),
            context: context.as_deref(),
            payload: ExpectedPayload::Is { payload: &payload, salt: &SALT },
            ..server.expected()
        };
        let judge = |expected: &Expected<'_>, known: &KnownKey| {
            verify(&proof, expected, |_| Some(known.clone())).is_ok()
        };
        prop_assert!(judge(&expected, &known));
        let other = format!("{payload}x");
        let swapped = ExpectedPayload::Is { payload: &other, salt: &SALT };
        let swapped = Expected { payload: swapped, ..expected };
        let approved = Expected { context: Some("x\n"), ..expected };
        for wrong in [swapped, approved] {
            prop_assert!(!judge(&wrong, &known));
        }
        let elsewhere = Passkey::of_host(&"shop.example".parse().unwrap(), true);
        for passkey in [None, elsewhere] {
            let wrong = KnownKey { passkey, ..known.clone() };
            prop_assert!(!judge(&expected, &wrong));
        }
    }

    #[test]
    fn assertion_of_any_other_bytes_is_refused(
        part in 0..3_usize,
        at in any::<prop::sample::Index>(),
        byte in any::<u8>(),
        cut in any::<bool>(),
    ) {
        let phone = PasskeyPhone::new();
        let (input, assertion) = phone.asserted();
        let mut parts = [
            assertion.authenticator_data().to_vec(),
            assertion.client_data().to_vec(),
            assertion.signature().to_vec(),
        ];
        let changed = &mut parts[part];
        let at = at.index(changed.len());
        if cut {
            changed.truncate(at);
        } else {
            prop_assume!(changed[at] != byte);
            changed[at] = byte;
        }
        let [data, client, signature] = parts;
        if let Ok(changed) = PasskeyAssertion::new(data, client, signature) {
            let proof = joined(&input, &changed);
            let verified = verify(&proof, &Server::new().expected(), |_| Some(phone.known()));
            prop_assert!(verified.is_err());
        }
    }

    #[test]
    fn any_text_is_judged_without_panic(text in "([A-Za-z0-9_-]{0,60}\\.){2,5}[A-Za-z0-9_-]{0,60}") {
        let phone = PasskeyPhone::new();
        let verified = verify(&text, &Server::new().expected(), |_| Some(phone.known()));
        prop_assert!(verified.is_err());
    }
}
