//! Registering and revoking association keys.

use countersign_conformance::samples::association_keys::user;
use countersign_domain::app::api_key::KeyMode;
use countersign_domain::app::quota::Allowance;
use countersign_domain::app::scope::Scope;
use countersign_domain::app::{App, AppKey};
use countersign_domain::login::MAX_KEYS;
use countersign_domain::login::association_key::transitions::{RegisterRefusal, RevokeOutcome};
use countersign_domain::primitives::unavailable::Unavailable;
use countersign_domain::use_cases::association_keys::{
    AssociationKeyPorts, RegisterError, RegisterRequest, register, revoke,
};
use countersign_proof::{AssociationPrivateKey, KeyId, Proofs, registration};

use crate::world::{World, now_or_never};

struct Keys {
    world: World,
    app: App,
}

impl Keys {
    fn new(require_proof: bool) -> Self {
        let world = World::new();
        let mut app = world.app.clone();
        app.login.require_proof = require_proof;
        Self { world, app }
    }

    fn ports(&self) -> AssociationKeyPorts<'_> {
        AssociationKeyPorts {
            store: &self.world.store,
            proofs: &Proofs,
            clock: &*self.world.clock,
        }
    }

    fn send(
        &self,
        owner: &str,
        public_key: &str,
        signature: Option<&str>,
    ) -> Result<KeyId, RegisterError> {
        let request = RegisterRequest {
            app: &self.app,
            mode: KeyMode::Live,
            owner: &user(owner),
            public_key,
            signature,
            allowance: Allowance::Unlimited,
        };
        now_or_never(register(self.ports(), request))
    }

    fn register(&self, owner: &str, key: &AssociationPrivateKey) -> Result<KeyId, RegisterError> {
        let signature = registration::sign(key, &self.app.app_key, &user(owner));
        self.send(owner, &key.public_key().to_string(), Some(&signature))
    }

    fn revoke(&self, id: KeyId) -> Result<RevokeOutcome, Unavailable> {
        now_or_never(revoke(self.ports(), Scope::live(&self.app.id), id))
    }
}

fn private_key(byte: u8) -> AssociationPrivateKey {
    AssociationPrivateKey::from_bytes(&[byte; 32]).unwrap()
}

#[test]
fn key_is_registered_repeated_and_revoked() {
    let keys = Keys::new(false);
    let key = private_key(1);
    let id = keys.register("zoe", &key).unwrap();
    assert_eq!(id, key.public_key().key_id());
    assert_eq!(keys.register("zoe", &key).unwrap(), id);
    let another = keys.register("max", &key);
    assert!(matches!(
        another,
        Err(RegisterError::Refused(RegisterRefusal::OwnedByAnother))
    ));
    keys.revoke(id).unwrap();
    keys.revoke(id).unwrap();
    for owner in ["zoe", "max"] {
        let again = keys.register(owner, &key);
        assert!(matches!(
            again,
            Err(RegisterError::Refused(RegisterRefusal::Revoked))
        ));
    }
    let unknown = keys.revoke(KeyId::from_bytes([0; 32]));
    assert!(matches!(unknown, Ok(RevokeOutcome::Unknown)));
}

#[test]
fn keys_of_anon_are_refused() {
    let keys = Keys::new(false);
    let refused = keys.register("ANON", &private_key(1));
    assert!(matches!(
        refused,
        Err(RegisterError::Refused(RegisterRefusal::Anonymous))
    ));
    keys.register("anon", &private_key(1)).unwrap();
}

#[test]
fn only_public_keys_are_accepted() {
    let keys = Keys::new(false);
    let key = private_key(1).public_key().to_string();
    for bad in [
        "",
        "x",
        &key[1..],
        &format!("{key}="),
        &key.replace('/', "_")[..20],
    ] {
        let refused = keys.send("zoe", bad, None);
        assert!(
            matches!(
                refused,
                Err(RegisterError::Refused(RegisterRefusal::MalformedKey))
            ),
            "{bad}"
        );
    }
}

#[test]
fn possession_is_required_with_proofs_and_always_checked() {
    let key = private_key(1).public_key().to_string();
    let strict = Keys::new(true);
    let refused = strict.send("zoe", &key, None);
    assert!(matches!(
        refused,
        Err(RegisterError::Refused(RegisterRefusal::SignatureMissing))
    ));
    let other_app = "cs_app_zZ9000000000000000000a".parse::<AppKey>().unwrap();
    for keys in [Keys::new(false), strict] {
        let app = &keys.app.app_key;
        for signature in [
            String::new(),
            "AAAA".to_owned(),
            // The key of another user, registered as one's own.
            registration::sign(&private_key(2), app, &user("zoe")),
            registration::sign(&private_key(1), app, &user("max")),
            registration::sign(&private_key(1), &other_app, &user("zoe")),
        ] {
            let refused = keys.send("zoe", &key, Some(&signature));
            assert!(matches!(
                refused,
                Err(RegisterError::Refused(RegisterRefusal::SignatureFalse))
            ));
        }
        keys.register("zoe", &private_key(1)).unwrap();
    }
    Keys::new(false).send("zoe", &key, None).unwrap();
}

#[test]
fn users_keys_are_limited() {
    let keys = Keys::new(false);
    let most = u8::try_from(MAX_KEYS).unwrap();
    for n in 1..=most {
        keys.register("zoe", &private_key(n)).unwrap();
    }
    let refused = keys.register("zoe", &private_key(most + 1));
    assert!(matches!(
        refused,
        Err(RegisterError::Refused(RegisterRefusal::TooMany))
    ));
    keys.register("max", &private_key(most + 1)).unwrap();
}
