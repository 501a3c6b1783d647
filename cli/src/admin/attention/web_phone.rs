//! Apps whose settings let no phone be set up without their app.

use countersign_domain::app::App;
use countersign_domain::app::login::WebPhoneKey;
use countersign_domain::login::association_key::RpId;

use super::Attention;

pub(super) fn look(apps: &[&App]) -> Vec<Attention> {
    apps.iter()
        .filter_map(|app| without_passkeys(app))
        .collect()
}

/// Reports an app that demands passkeys at a host for which browsers make none: an IP address, which only links in local
/// mode may have.
fn without_passkeys(app: &App) -> Option<Attention> {
    let login = &app.login;
    let host = login.link_host.as_ref()?;
    let demands_passkeys = login.web_phone && login.web_phone_key == WebPhoneKey::Passkey;
    if !demands_passkeys || RpId::of_host(host).is_some() {
        return None;
    }
    let id = &app.id;
    let item = Attention::new(
        "web_phone_without_passkeys",
        format!("No phone can be set up without the app of {id}"),
        format!(
            "The app accepts passkeys only, and browsers make none for {host}, an IP address. In local mode, the name \
             is localhost."
        ),
        format!("countersign app update {id} --link-host HOST"),
    );
    Some(item.with([("app", id), ("host", host)]))
}

#[cfg(test)]
mod tests {
    use countersign_conformance::samples;

    use super::*;

    #[test]
    fn demand_for_passkeys_at_an_address_is_reported() {
        let mut app = samples::app("shop");
        app.login.web_phone = true;
        for (host, key, count) in [
            ("127.0.0.1:8787", WebPhoneKey::Any, 0),
            ("127.0.0.1:8787", WebPhoneKey::Passkey, 1),
            ("localhost:8787", WebPhoneKey::Passkey, 0),
        ] {
            app.login.link_host = host.parse().ok();
            app.login.web_phone_key = key;
            assert_eq!(look(&[&app]).len(), count, "{host}");
        }
        app.login.link_host = "127.0.0.1:8787".parse().ok();
        app.login.web_phone = false;
        assert_eq!(look(&[&app]), []);
    }
}
