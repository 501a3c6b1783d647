//! `countersign phone keys`.

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use countersign_domain::app::AppKey;
use countersign_domain::login::ClaimedUserId;
use countersign_proof::{AssociationPublicKey, registration};
use countersign_sdk::files::FileAssociationKeys;
use countersign_sdk::{AssociationKeys as _, KeyRing, SdkError};
use countersign_system::entropy::OsEntropy;
use serde_json::{Value, json};

use crate::args::{Output, PhoneKeysArgs, PhoneKeysCommand, ShowKeyArgs};
use crate::failure::Failure;
use crate::terminal::print;

/// The directory of the keys, inside the phone's directory.
const FOLDER: &str = "association-keys";

/// The public half of a key, and the key's user.
struct Key {
    user: String,
    public: AssociationPublicKey,
}

/// Returns the keys of the phone in this directory.
pub(super) fn at(phone: &Path) -> FileAssociationKeys {
    FileAssociationKeys::at(&phone.join(FOLDER), Arc::new(OsEntropy))
}

/// Creates and shows the phone's association keys.
pub(crate) fn keys(phone: &Path, args: &PhoneKeysArgs) -> Result<ExitCode, Failure> {
    let store = Arc::new(at(phone));
    let keys = KeyRing::new(store.clone());
    match &args.command {
        PhoneKeysCommand::Create(create) => {
            let user = &create.shown.public_user_id;
            if create.replace {
                let replaced = store.generate(user.as_str().to_owned());
                replaced?;
            } else {
                let created = store.generate_first(user.as_str());
                if created?.is_none() && !create.if_absent {
                    return Err(exists(user));
                }
            }
            show(&keys, &create.shown, args.output)?;
        }
        PhoneKeysCommand::List => list(&keys, phone, args.output)?,
        PhoneKeysCommand::Show(named) => show(&keys, named, args.output)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn exists(user: &ClaimedUserId) -> Failure {
    let user = user.as_str();
    Failure::new(format!(
        "{user} has an association key already: --if-absent shows it, and --replace makes a new one and loses the old one"
    ))
}

fn find(keys: &KeyRing, user: &str) -> Result<Key, Failure> {
    let text = keys.get_association_key(Some(user));
    let text = text.map_err(|error| match error {
        SdkError::UnknownKey => Failure::new(format!(
            "this phone has no association key of {user}: `countersign phone keys create` makes one"
        )),
        error => error.into(),
    })?;
    let public = text.parse::<AssociationPublicKey>();
    Ok(Key {
        user: user.to_owned(),
        public: public?,
    })
}

/// Prints the public half on a separate line, so that it is easy to copy.
fn show(keys: &KeyRing, named: &ShowKeyArgs, output: Output) -> Result<(), Failure> {
    let user = &named.public_user_id;
    let key = find(keys, user.as_str())?;
    let mut shown = to_json(&key);
    if let Some(app) = &named.app_key {
        shown["signature"] = registered(keys, app, user)?.into();
    }
    if output.json {
        return print(&shown.to_string());
    }
    let public = &key.public;
    print(&format!(
        "association key of {}, id {}\n{public}",
        key.user,
        public.key_id()
    ))?;
    match &shown["signature"] {
        Value::String(signature) => print(&format!("registered by the signature\n{signature}")),
        _ => Ok(()),
    }
}

/// Signs the registration of a user's key with an app.
fn registered(keys: &KeyRing, app: &AppKey, user: &ClaimedUserId) -> Result<String, Failure> {
    let text = registration::text(app, user);
    let signature = keys.generate_user_signature(Some(user.as_str()), &text);
    signature.map_err(Failure::from)
}

fn list(keys: &KeyRing, phone: &Path, output: Output) -> Result<(), Failure> {
    let users = keys.list_association_key();
    let users = users?;
    let keys = users.iter().map(|user| find(keys, user));
    let keys: Vec<Key> = keys.collect::<Result<_, _>>()?;
    if output.json {
        let keys: Value = keys.iter().map(to_json).collect();
        return print(&keys.to_string());
    }
    if keys.is_empty() {
        return print(&format!("{} has no association keys.", phone.display()));
    }
    for key in keys {
        print(&format!("{} {}", key.public.key_id(), key.user))?;
    }
    Ok(())
}

fn to_json(key: &Key) -> Value {
    json!({
        "publicUserId": key.user,
        "keyId": key.public.key_id().to_string(),
        "publicKey": key.public.to_string(),
    })
}
