//! Quotas that are almost used up.

use std::num::NonZeroU32;

use countersign_domain::app::App;
use countersign_domain::delivery::DeliveryKind;
use countersign_domain::store::{Key, KeyCount};

use super::Attention;
use crate::admin::{Admin, AdminError, Host};

/// Part of a quota, in percent, from which it is almost used up.
const NEARLY: u64 = 80;

pub(super) async fn look(admin: &Admin, apps: &[&App]) -> Result<Vec<Attention>, AdminError> {
    let mut items = Vec::new();
    for app in apps {
        let confirmations = app.quotas.for_confirmations().max_open;
        let logins = app.quotas.for_logins().max_open;
        let open = open_at_least(admin, DeliveryKind::Confirmations, app, confirmations).await?;
        items.extend(open.map(|open| {
            report(
                app,
                "open confirmations",
                "max-open-confirmations",
                open,
                confirmations,
            )
        }));
        let open = open_at_least(admin, DeliveryKind::Logins, app, logins).await?;
        items.extend(open.map(|open| report(app, "open logins", "max-open-logins", open, logins)));
        let most = app.quotas.for_association_keys().max_open;
        let keys = admin
            .store
            .get::<KeyCount>(Key::KeyCount(app.id.clone()))
            .await;
        // A count that cannot be read is reported with the store.
        let keys = keys.ok().flatten().map_or(0, |count| count.keys);
        if is_nearly(keys, most) {
            items.push(report(
                app,
                "association keys",
                "max-association-keys",
                keys,
                most,
            ));
        }
    }
    Ok(items)
}

const fn is_nearly(used: u64, most: NonZeroU32) -> bool {
    used.saturating_mul(100) >= NEARLY * most.get() as u64
}

/// Returns the number of open items of an app, if they almost use up the quota. A table does not count them.
async fn open_at_least(
    admin: &Admin,
    kind: DeliveryKind,
    app: &App,
    most: NonZeroU32,
) -> Result<Option<u64>, AdminError> {
    let Host::Machine(items) = &admin.host else {
        return Ok(None);
    };
    let least = (u64::from(most.get()) * NEARLY).div_ceil(100);
    let bounds = (u32::try_from(least).unwrap_or(u32::MAX), most.get());
    let open = items.open_at_least(kind, &app.id, admin.clock.now(), bounds);
    Ok(open.await?.map(u64::from))
}

fn report(app: &App, what: &str, option: &str, used: u64, most: NonZeroU32) -> Attention {
    let id = &app.id;
    Attention::new(
        "quota_nearly_used",
        format!("{id} has {used} of at most {most} {what}"),
        "Above that, the API answers its server with 429.",
        format!("countersign app update {id} --{option} N"),
    )
    .with([
        ("app", id),
        ("used", &used),
        ("most", &most),
        ("quota", &option),
    ])
}
