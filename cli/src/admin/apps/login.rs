//! Setting and changing an app's login settings.

use countersign_domain::app::login::{AndroidApp, LoginSettings, RiskPolicy};

use super::each_once;
use crate::admin::argument::{AndroidIdentity, Argument};
use crate::admin::command::{LoginChange, NewLogin};

/// Returns the settings of a new app.
pub(super) fn settings(new: NewLogin) -> LoginSettings {
    LoginSettings {
        link_host: new.link_host.map(|host| host.0),
        origins: each_once(new.origins),
        android: android(new.android),
        ios: each_once(new.ios),
        risk: RiskPolicy {
            denials_forbid: new.deny_after_denials.unwrap_or_default(),
        },
        payload_encryption: new
            .payload_encryption
            .map(|choice| choice.0)
            .unwrap_or_default(),
        require_proof: new.require_proof.unwrap_or_default(),
        check_code: new.check_code.unwrap_or_default(),
        callback: new.login_callback.map(|url| url.0),
    }
}

/// Applies the options that were given and leaves the rest alone.
pub(super) fn change(settings: &mut LoginSettings, change: LoginChange) {
    if change.no_link_host || change.link_host.is_some() {
        settings.link_host = change.link_host.map(|host| host.0);
    }
    if change.no_origins || !change.origins.is_empty() {
        settings.origins = each_once(change.origins);
    }
    if change.no_android || !change.android.is_empty() {
        settings.android = android(change.android);
    }
    if change.no_ios || !change.ios.is_empty() {
        settings.ios = each_once(change.ios);
    }
    if change.no_login_callback || change.login_callback.is_some() {
        settings.callback = change.login_callback.map(|url| url.0);
    }
    if let Some(choice) = change.payload_encryption {
        settings.payload_encryption = choice.0;
    }
    if let Some(require) = change.require_proof {
        settings.require_proof = require;
    }
    if let Some(check) = change.check_code {
        settings.check_code = check;
    }
    if let Some(forbid) = change.deny_after_denials {
        settings.risk.denials_forbid = forbid;
    }
}

/// Groups the certificates by package.
fn android(named: Vec<Argument<AndroidIdentity>>) -> Vec<AndroidApp> {
    let mut apps: Vec<AndroidApp> = Vec::new();
    for AndroidIdentity {
        package,
        fingerprint,
    } in each_once(named)
    {
        match apps.iter_mut().find(|app| app.package == package) {
            Some(app) => app.fingerprints.push(fingerprint),
            None => apps.push(AndroidApp {
                package,
                fingerprints: vec![fingerprint],
            }),
        }
    }
    apps
}
