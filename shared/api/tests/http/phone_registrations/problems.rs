//! A request that causes each problem of phone registrations.

use std::time::Duration;

use countersign_api::ProblemCode;
use countersign_domain::app::login::WebPhoneKey;
use serde_json::json;

use super::passkeys::{identify, passkey, proved};
use super::world::{host, on, software_key, wrong};
use crate::host::Answer;

/// Sends a request that is answered with this problem.
pub(crate) async fn meet(code: ProblemCode) -> Answer {
    let host = host().await;
    let zoe = json!({"publicUserId": "zoe"});
    let create = || host.create_with(&host.key, &zoe);
    match code {
        ProblemCode::WebPhoneOff => {
            host.change_app(|app| app.login.web_phone = false).await;
            return create().await;
        }
        ProblemCode::LabelMalformed => {
            let body = json!({"publicUserId": "zoe", "label": ""});
            return host.create_with(&host.key, &body).await;
        }
        ProblemCode::TooManyRegistrations => {
            for _ in 0..64 {
                create().await;
            }
            return create().await;
        }
        _ => {}
    }
    let setup = host.set_up().await;
    match code {
        ProblemCode::RegistrationNotFound => {
            let path = setup.path("").replace("phr_", "phr_0");
            return host.call("GET", &path, None).await;
        }
        ProblemCode::PasskeyUnknown => return identify(&host, &passkey(1), 0).await,
        ProblemCode::PasskeyFalse => return identify(&host, &passkey(1), 61_000).await,
        ProblemCode::PasskeyMalformed => {
            host.open_link(&setup, 1).await;
            let mut body = proved(&passkey(1), &setup, "zoe", |_| ());
            body["credentialId"] = json!("");
            return host.sign(&setup, 1, &body).await;
        }
        ProblemCode::RegistrationNotSigned => return host.type_digits(&setup, "42").await,
        ProblemCode::PasskeyRequired => {
            host.open_link(&setup, 1).await;
            host.change_app(|app| {
                on(app);
                app.login.web_phone_key = WebPhoneKey::Passkey;
            })
            .await;
            return host.sign(&setup, 1, &software_key(1, "zoe")).await;
        }
        _ => {}
    }
    let digits = host.digits_of(&setup, 1).await;
    match code {
        ProblemCode::RegistrationOpened => host.open_link(&setup, 2).await,
        ProblemCode::RegistrationSignedDifferently => {
            host.sign(&setup, 1, &software_key(2, "zoe")).await
        }
        ProblemCode::RegistrationCompleted => {
            host.type_digits(&setup, &digits).await;
            host.open_link(&setup, 1).await
        }
        ProblemCode::RegistrationCancelled => {
            host.call("DELETE", &setup.path(""), None).await;
            host.open_link(&setup, 1).await
        }
        ProblemCode::RegistrationFailed => {
            for n in 0..2 {
                host.type_digits(&setup, &wrong(&digits, n)).await;
            }
            host.type_digits(&setup, &wrong(&digits, 2)).await
        }
        ProblemCode::RegistrationExpired => {
            host.clock.advance(Duration::from_mins(10));
            host.open_link(&setup, 1).await
        }
        _ => panic!("nothing meets {code:?}"),
    }
}
