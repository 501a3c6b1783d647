//! The phone's use cases: opening the link, and proving the key.

use std::sync::Arc;

use sha2::{Digest, Sha256};

use super::{SetupError, SetupPorts};
use crate::app::App;
use crate::app::login::WebPhoneKey;
use crate::login::association_key::transitions::RegisterRefusal;
use crate::login::phone_registration::transitions::{self, unless_withdrawn};
use crate::login::phone_registration::{
    NewPhoneKey, PhoneRegistration, SetupPhone, SetupPhoneToken, SetupRefusal, SetupSecret,
    SetupState, UserHandle,
};
use crate::login::proof_verifier::PasskeyRegistration;
use crate::login::{AssociationKey, CheckCode, CredentialId, KeyKind, KeyPoint, PasskeyAssertion};
use crate::primitives::framing::framed;
use crate::primitives::ids::PhoneRegistrationId;
use crate::primitives::time::Timestamp;
use crate::primitives::unavailable::Unavailable;
use crate::use_cases::logins::Visitor;

/// A request to open a link.
#[derive(Clone, Debug)]
pub struct OpenRequest<'a> {
    pub id: PhoneRegistrationId,
    /// The token that the phone chose.
    pub token: &'a SetupPhoneToken,
    /// The secret in the link.
    pub secret: &'a SetupSecret,
    pub phone: Visitor,
}

/// A registration that the phone opened, now or earlier.
#[derive(Clone, Debug)]
pub struct Opened {
    pub registration: PhoneRegistration,
    pub app: Arc<App>,
    /// The user handle for a passkey.
    pub user_handle: UserHandle,
    /// The user's keys that the app accepts. A phone that has one of the passkeys makes no second one.
    pub keys: Vec<AssociationKey>,
    /// Time of the answer, with which the phone corrects its own clock.
    pub server_time: Timestamp,
}

/// Opens a link: `POST /phone-registrations/{id}/open`. The first phone may repeat this.
///
/// # Errors
///
/// Fails if there is no such link, if another phone has opened it, if its time is over, or if a port fails.
pub async fn open(ports: SetupPorts<'_>, request: OpenRequest<'_>) -> Result<Opened, SetupError> {
    let now = ports.clock.now();
    let read = ports.store.read::<PhoneRegistration>(request.id).await?;
    let secret = request.secret.hash();
    let own = read.entity().filter(|item| item.secret == secret);
    let app = ports.app_of(own).await?;
    let Visitor {
        address,
        user_agent,
        located,
    } = request.phone;
    let phone = SetupPhone {
        token: request.token.hash(),
        user_agent,
        place: located.or(ports.geo.locate(address)).place,
    };
    let decide = |current| {
        let open = |current| transitions::open(current, &secret, phone.clone(), now);
        unless_withdrawn(current, app.as_deref(), open)
    };
    let (registration, _) = ports.store.change_read(read, decide).await?;
    let registration = *registration?;
    let app = app.ok_or(SetupRefusal::Withdrawn)?;
    let mut keys = keys_of(ports, &registration, now).await?;
    keys.retain(|key| {
        key.kind()
            .is_some_and(|kind| kind.is_accepted_by(&app.login))
    });
    Ok(Opened {
        keys,
        user_handle: request.secret.user_handle(&request.id),
        registration,
        app,
        server_time: now,
    })
}

async fn keys_of(
    ports: SetupPorts<'_>,
    item: &PhoneRegistration,
    now: Timestamp,
) -> Result<Vec<AssociationKey>, Unavailable> {
    let (app, owner) = (&item.app, &item.owner);
    if item.test {
        ports.store.test_keys_of(app, owner, now).await
    } else {
        ports.store.association_keys_of(app, owner).await
    }
}

/// A key with the phone's proof that it has it.
#[derive(Clone, Copy, Debug)]
pub enum PresentedKey<'a> {
    /// A key in the browser's storage.
    Browser {
        public_key: &'a str,
        /// The signature over app key and public user id.
        signature: &'a str,
    },
    /// A passkey of the page on the link host.
    Passkey {
        public_key: &'a str,
        /// The id of the passkey on its phone.
        credential: &'a CredentialId,
        assertion: &'a PasskeyAssertion,
    },
}

/// A request to prove a key.
#[derive(Clone, Copy, Debug)]
pub struct SignRequest<'a> {
    pub id: PhoneRegistrationId,
    pub token: &'a SetupPhoneToken,
    pub key: PresentedKey<'a>,
}

/// The digits that the phone shows.
#[derive(Clone, Copy, Debug)]
pub struct Signed {
    pub digits: CheckCode,
    pub expires_at: Timestamp,
    pub server_time: Timestamp,
}

/// Checks that the phone has its key, and returns the digits to show: `POST /phone-registrations/{id}/sign`. The phone
/// may repeat the request.
///
/// # Errors
///
/// Fails if the phone has not opened the registration, if the key or its proof is invalid, if the key is known already,
/// or if a port fails.
pub async fn sign(ports: SetupPorts<'_>, request: SignRequest<'_>) -> Result<Signed, SetupError> {
    let now = ports.clock.now();
    let read = ports.store.read::<PhoneRegistration>(request.id).await?;
    let token = request.token.hash();
    let is_own = |item: &&PhoneRegistration| {
        now < item.purge_at && item.phone().is_some_and(|phone| phone.token == token)
    };
    let own = read.entity().filter(is_own);
    let item = own.ok_or(SetupRefusal::Unknown)?.clone();
    let app = ports.app_of(Some(&item)).await?;
    let key = match &app {
        Some(app) => checked(ports, app, &item, request.key)?,
        None => return Err(SetupRefusal::Withdrawn.into()),
    };
    if !is_repeated(&item, &key) {
        check_unknown(ports, &item, &key, now).await?;
    }
    let digits = CheckCode::generate(ports.entropy);
    let decide = |current| {
        let sign = |current| transitions::sign(current, &token, key.clone(), digits, now);
        unless_withdrawn(current, app.as_deref(), sign)
    };
    let (digits, _) = ports.store.change_read(read, decide).await?;
    Ok(Signed {
        digits: digits?,
        expires_at: item.expires_at(),
        server_time: now,
    })
}

/// Returns the key if its proof is valid for this registration.
fn checked(
    ports: SetupPorts<'_>,
    app: &App,
    item: &PhoneRegistration,
    key: PresentedKey<'_>,
) -> Result<NewPhoneKey, SetupError> {
    match key {
        PresentedKey::Browser {
            public_key,
            signature,
        } => {
            if app.login.web_phone_key == WebPhoneKey::Passkey {
                return Err(SetupError::PasskeyRequired);
            }
            let point = parsed(ports, public_key)?;
            let (proofs, owner) = (ports.proofs, &item.owner);
            if !proofs.shows_possession(&point, &app.app_key, owner, signature) {
                return Err(RegisterRefusal::SignatureFalse.into());
            }
            Ok(NewPhoneKey {
                point,
                kind: KeyKind::Browser,
                credential: None,
                request: request_hash(&[public_key.as_bytes(), signature.as_bytes()]),
            })
        }
        PresentedKey::Passkey {
            public_key,
            credential,
            assertion,
        } => {
            let point = parsed(ports, public_key)?;
            let facts = PasskeyRegistration {
                host: &item.host,
                registration: &item.id.to_string(),
                app: &app.app_key,
                user: &item.owner,
            };
            let passkey = ports.proofs.verify_registration(&point, &facts, assertion);
            let request = request_hash(&[
                public_key.as_bytes(),
                credential.as_str().as_bytes(),
                assertion.authenticator_data(),
                assertion.client_data(),
                assertion.signature(),
            ]);
            Ok(NewPhoneKey {
                point,
                kind: KeyKind::Passkey(passkey.ok_or(SetupError::AssertionFalse)?),
                credential: Some(credential.clone()),
                request,
            })
        }
    }
}

fn parsed(ports: SetupPorts<'_>, public_key: &str) -> Result<KeyPoint, RegisterRefusal> {
    let point = ports.proofs.parse_key(public_key);
    point.ok_or(RegisterRefusal::MalformedKey)
}

/// Returns a hash of what the phone sent.
fn request_hash(parts: &[&[u8]]) -> [u8; 32] {
    Sha256::new()
        .chain_update(b"countersign/phone-setup/request/1\0")
        .chain_update(framed(parts))
        .finalize()
        .into()
}

fn is_repeated(item: &PhoneRegistration, key: &NewPhoneKey) -> bool {
    matches!(&item.state, SetupState::Signed { key: known, .. } if known.request == key.request)
}

/// Checks that the app does not know the key, as one of any user, and that it was not revoked.
async fn check_unknown(
    ports: SetupPorts<'_>,
    item: &PhoneRegistration,
    key: &NewPhoneKey,
    now: Timestamp,
) -> Result<(), SetupError> {
    let (app, id) = (&item.app, key.point.key_id());
    let known = if item.test {
        ports.store.find_test_key(app, &[id], now).await?
    } else {
        ports.store.find_association_key(app, id).await?
    };
    match known {
        None => Ok(()),
        Some(known) if known.owner().is_some() => Err(RegisterRefusal::OwnedByAnother.into()),
        Some(_) => Err(RegisterRefusal::Revoked.into()),
    }
}
