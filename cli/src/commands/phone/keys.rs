//! `countersign phone keys`.

use std::path::Path;
use std::process::ExitCode;

use countersign_domain::app::AppKey;
use countersign_proof::registration;
use countersign_system::entropy::OsEntropy;
use serde_json::{Value, json};

use crate::args::{Output, PhoneKeysArgs, PhoneKeysCommand};
use crate::console::say;
use crate::failure::Failure;
use crate::phone::association_keys::{AssociationKey, AssociationKeys};

/// Creates and shows the phone's association keys.
pub(crate) fn keys(phone: &Path, args: &PhoneKeysArgs) -> Result<ExitCode, Failure> {
    let keys = AssociationKeys::at(phone);
    match &args.what {
        PhoneKeysCommand::Create(create) => {
            let user = &create.shown.public_user_id;
            let key = keys.create(user, create.replace, &OsEntropy);
            let key = key.map_err(|error| Failure::of(&error))?;
            show(&key, create.shown.app_key.as_ref(), args.output)?;
        }
        PhoneKeysCommand::List => {
            let keys = keys.list().map_err(|error| Failure::of(&error))?;
            list(&keys, phone, args.output)?;
        }
        PhoneKeysCommand::Show(named) => {
            let found = keys.find(&named.public_user_id);
            let found = found.map_err(|error| Failure::of(&error))?;
            let key = found.ok_or_else(|| {
                let user = named.public_user_id.as_str();
                Failure::new(format!(
                    "this phone has no association key of {user}: `countersign phone keys create` \
                     makes one"
                ))
            })?;
            show(&key, named.app_key.as_ref(), args.output)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints the public half, alone on its line for people who copy it.
fn show(key: &AssociationKey, app: Option<&AppKey>, output: Output) -> Result<(), Failure> {
    let mut shown = to_json(key);
    if let Some(app) = app {
        shown["signature"] = registration::sign(&key.key, app, &key.user).into();
    }
    if output.json {
        return say(&shown.to_string());
    }
    let public = key.key.public_key();
    say(&format!(
        "association key of {}, id {}\n{public}",
        key.user.as_str(),
        public.key_id()
    ))?;
    match &shown["signature"] {
        Value::String(signature) => say(&format!("registered by the signature\n{signature}")),
        _ => Ok(()),
    }
}

fn list(keys: &[AssociationKey], phone: &Path, output: Output) -> Result<(), Failure> {
    if output.json {
        let keys: Value = keys.iter().map(to_json).collect();
        return say(&keys.to_string());
    }
    if keys.is_empty() {
        return say(&format!("{} has no association keys.", phone.display()));
    }
    for key in keys {
        say(&format!(
            "{} {}",
            key.key.public_key().key_id(),
            key.user.as_str()
        ))?;
    }
    Ok(())
}

fn to_json(key: &AssociationKey) -> Value {
    let public = key.key.public_key();
    json!({
        "publicUserId": key.user.as_str(),
        "keyId": public.key_id().to_string(),
        "publicKey": public.to_string(),
    })
}
