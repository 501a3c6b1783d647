//! Setting an app's login settings.

use countersign_domain::app::login::{AndroidApp, LoginSettings};

use super::{each_once, replace};
use crate::admin::AdminError;
use crate::admin::argument::AndroidIdentity;
use crate::admin::command::LoginOptions;

/// Applies the given options and keeps the other settings.
///
/// # Errors
///
/// Fails if no page could name a return page that was given.
pub(super) fn set(settings: &mut LoginSettings, given: LoginOptions) -> Result<(), AdminError> {
    settings.link_host = given.link_host.or(settings.link_host.take());
    settings.callback = given.login_callback.or(settings.callback.take());
    if !given.origins.is_empty() {
        settings.origins = given.origins;
    }
    settings.origins.extend(given.added_origins);
    settings.origins = each_once(std::mem::take(&mut settings.origins));
    for page in given.added_return_pages {
        if !settings.lists_origin_of(&page) {
            return Err(AdminError::PageWithoutOrigin(page.to_string()));
        }
        settings.return_pages.push(page);
    }
    settings.return_pages = each_once(std::mem::take(&mut settings.return_pages));
    if !given.android.is_empty() {
        settings.android = android(given.android);
    }
    if !given.ios.is_empty() {
        settings.ios = each_once(given.ios);
    }
    replace(&mut settings.logins_from, given.logins_from);
    replace(&mut settings.payload_encryption, given.payload_encryption);
    replace(&mut settings.require_proof, given.require_proof);
    replace(&mut settings.check_code, given.check_code);
    replace(&mut settings.risk.denials_forbid, given.deny_after_denials);
    Ok(())
}

/// Groups the certificates by package.
fn android(named: Vec<AndroidIdentity>) -> Vec<AndroidApp> {
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
