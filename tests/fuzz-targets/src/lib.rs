//! Properties that must hold for any input from strangers.
//!
//! Each [`Target`] reads arbitrary bytes and panics if a property is violated. `fuzz/` searches for
//! such bytes with libFuzzer. This crate's test `corpus` runs all targets on the files in
//! `fuzz/corpus`, so that a bug that was found once cannot come back.
//!
//! All secrets are constants, so that a run can be repeated.
#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a target fails by panicking"
)]

mod authorization;
mod bits;
mod call;
mod http;
mod json;
mod logins;
mod names;
mod providers;
mod records;
mod settings;
mod texts;

/// One kind of input.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// The name of its program in `fuzz/` and of its folder in `fuzz/corpus`.
    pub name: &'static str,
    /// Checks the properties for one input.
    pub check: fn(&[u8]),
}

macro_rules! targets {
    ($($name:ident => $check:path,)*) => {
        pub const TARGETS: &[Target] = &[
            $(Target { name: stringify!($name), check: $check },)*
        ];
    };
}

targets! {
    authorization => authorization::requests,
    bandwidth => providers::bandwidth,
    callback_url => names::callback_url,
    canonical_json => json::canonical,
    code => texts::code,
    end_user_messaging => providers::end_user_messaging,
    generic => providers::generic,
    http => http::requests,
    infobip => providers::infobip,
    login_key => logins::key,
    login_payload => logins::payload,
    login_proof => logins::proof,
    login_socket => http::socket,
    names => names::names,
    passkey_assertion => logins::assertion,
    passkey_proof => logins::passkey_proof,
    phone_number => texts::phone_number,
    plivo => providers::plivo,
    records => records::records,
    settings => settings::settings,
    sinch => providers::sinch,
    sinch_conversation => providers::sinch_conversation,
    sms_gate => providers::sms_gate,
    sns => providers::sns,
    sns_certificate => providers::certificate,
    telnyx => providers::telnyx,
    twilio => providers::twilio,
    vonage_messages => providers::vonage_messages,
    vonage_sms => providers::vonage_sms,
    whatsapp => providers::whatsapp,
}

/// Checks one input of a target.
///
/// # Panics
///
/// Panics if a property is violated, or if no target has this name.
pub fn check(name: &str, input: &[u8]) {
    let target = TARGETS.iter().find(|target| target.name == name);
    (target.expect("the target exists").check)(input);
}
