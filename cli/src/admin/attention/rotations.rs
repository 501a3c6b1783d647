//! Rotations of secrets and keys that were not finished.

use countersign_domain::app::App;
use countersign_domain::delivery::signing::Signer as _;
use countersign_embedded::keys::MAX_FORMER_KEYS;

use super::Attention;
use crate::admin::Admin;

pub(super) async fn look(admin: &Admin, apps: &[&App]) -> Vec<Attention> {
    let rotated = apps
        .iter()
        .filter(|app| app.webhook_secrets.retired().is_ok());
    let mut items: Vec<Attention> = rotated
        .map(|app| {
            let id = &app.id;
            Attention::new(
                "secret_rotation",
                format!("Two webhook secrets of {id} are in force"),
                "A rotation was begun and not finished. Once the app's server checks webhooks with the new secret, \
                 the former one can go.",
                format!("countersign app webhook-secret {id} --retire"),
            )
            .with([("app", id)])
        })
        .collect();
    if let Some(master) = &admin.master_secret
        && let Ok(secrets) = master.in_force().await
        && secrets.count() > 1
    {
        items.push(Attention::new(
            "secret_replacement",
            "The secret from which webhook secrets derive is being replaced",
            "Webhooks are signed with secrets of both. Once every app's server has its new secret, the former one can \
             go.",
            "countersign webhook-secret retire",
        ));
    }
    if let Some(signer) = &admin.signing_keys
        && let Ok(keys) = signer.public_keys().await
        && keys.len() > MAX_FORMER_KEYS
    {
        let item = Attention::new(
            "signing_keys_full",
            "No other signing key can be made",
            format!(
                "{MAX_FORMER_KEYS} former keys are still published, each for seven days after its replacement, and \
                 a rotation would be refused."
            ),
            "Wait until the oldest is no longer published.",
        );
        items.push(item.with([("keys", &MAX_FORMER_KEYS)]));
    }
    items
}
