mod client_secrets;
mod keys;
mod link_hosts;

use std::convert::Infallible;
use std::num::NonZeroU32;
use std::sync::Arc;

use countersign_domain::app::code::CodePrefix;
use countersign_domain::app::senders::Recipient;
use countersign_domain::app::{App, AppKey, InboundProfile};
use countersign_domain::primitives::unavailable::Unavailable;
use countersign_domain::store::{
    ChangeAppOutcome, CreateAppOutcome, DeleteAppOutcome, IssueKeyOutcome, KeyLookup,
};
use countersign_domain::web::link_host::LinkHost;

use super::Case;
use super::races::{MANY, at_once};
use crate::check::{Checked, Failure, equal};
use crate::samples::{MILLI, NOW, app, app_id, key, senders};

type Store = Arc<countersign_domain::store::Store>;

/// Returns the cases of app stores.
pub(super) fn cases() -> impl Iterator<Item = &'static Case<countersign_domain::store::Store>> {
    let cases = CASES.iter().chain(keys::CASES);
    cases.chain(client_secrets::CASES).chain(link_hosts::CASES)
}

const CASES: &[Case<countersign_domain::store::Store>] = &[
    Case {
        name: "apps: new app is stored, and a second with its name is refused",
        run: |store| Box::pin(new_app(store)),
    },
    Case {
        name: "apps: list is sorted by name",
        run: |store| Box::pin(listed(store)),
    },
    Case {
        name: "apps: update takes effect at once, and changes no other app",
        run: |store| Box::pin(update(store)),
    },
    Case {
        name: "apps: deleted app is gone, its keys are revoked, and its name stays taken",
        run: |store| Box::pin(deleted(store)),
    },
    Case {
        name: "apps: app is found by its app key and by its link host, and by no earlier one",
        run: |store| Box::pin(found(store)),
    },
    Case {
        name: "profile: earlier prefixes and recipients are kept",
        run: |store| Box::pin(profile(store)),
    },
    Case {
        name: "race: each of 64 changes of an app is kept, and its key, too",
        run: |store| Box::pin(racing_changes(store)),
    },
    Case {
        name: "race: app that is deleted stays deleted, whoever changes it",
        run: |store| Box::pin(change_or_delete(store)),
    },
    Case {
        name: "race: one of 64 apps with the same name is created",
        run: |store| Box::pin(racing_apps(store)),
    },
];

async fn create_app(store: &Store, app: &App) -> Checked {
    let outcome = store.create_app(app.clone()).await?;
    equal("create app", outcome, CreateAppOutcome::Created)
}

/// Replaces an app, whatever its stored state is.
async fn replace_app(
    store: &Store,
    app: &App,
) -> Result<ChangeAppOutcome<Infallible>, Unavailable> {
    store.change_app(&app.id, |_| Ok(app.clone())).await
}

async fn stored(store: &Store, app: &App) -> Checked {
    let found = store.find_app(&app.id).await?;
    equal("find app", found.as_deref(), Some(app))
}

async fn new_app(store: Store) -> Checked {
    equal("find app", store.find_app(&app_id("demo")).await?, None)?;
    equal("list apps", store.list_apps().await?.0, Vec::new())?;
    let first = app("demo");
    create_app(&store, &first).await?;
    stored(&store, &first).await?;
    let mut second = app("demo");
    second.created_at = NOW.plus(MILLI);
    second.senders = senders(&[(None, "55555")]);
    let outcome = store.create_app(second).await?;
    equal("create app", outcome, CreateAppOutcome::NameTaken)?;
    stored(&store, &first).await?;
    equal("find app", store.find_app(&app_id("dem")).await?, None)?;
    let profile = store.inbound_profile().await?;
    equal("profile", profile.recipients.len(), 1)
}

async fn listed(store: Store) -> Checked {
    for name in ["shop-eu", "a", "shop", "demo", "a1", "a-b"] {
        create_app(&store, &app(name)).await?;
    }
    let apps = store.list_apps().await?.0;
    let names: Vec<&str> = apps.iter().map(|app| app.id.as_str()).collect();
    equal(
        "names",
        names,
        vec!["a", "a-b", "a1", "demo", "shop", "shop-eu"],
    )?;
    equal("listed app", apps[3].as_ref(), &app("demo"))
}

async fn update(store: Store) -> Checked {
    let mut changed = app("demo");
    changed.senders = senders(&[(None, "12345"), (Some("GB"), "+447700900001")]);
    let outcome = replace_app(&store, &changed).await?;
    equal("change app", outcome, ChangeAppOutcome::Unknown)?;
    equal("find app", store.find_app(&changed.id).await?, None)?;
    let other = app("demo-2");
    create_app(&store, &app("demo")).await?;
    create_app(&store, &other).await?;
    let outcome = replace_app(&store, &changed).await?;
    let expected = ChangeAppOutcome::Changed(changed.clone().into());
    equal("change app", outcome, expected)?;
    stored(&store, &changed).await?;
    let outcome = store.change_app(&changed.id, |_| Err("no")).await?;
    equal("change app", outcome, ChangeAppOutcome::Refused("no"))?;
    stored(&store, &changed).await?;
    stored(&store, &other).await?;
    equal("list apps", store.list_apps().await?.0.len(), 2)
}

async fn deleted(store: Store) -> Checked {
    let (demo, other, now) = (app("demo"), app("demo-2"), NOW.plus(MILLI));
    create_app(&store, &demo).await?;
    let outcome = store.issue_key(&demo.id, key(1)).await?;
    equal("issue key", outcome, IssueKeyOutcome::Issued)?;
    let outcome = store.delete_app(&demo.id, now).await?;
    equal("delete app", outcome, DeleteAppOutcome::Deleted)?;
    equal("find app", store.find_app(&demo.id).await?, None)?;
    equal("find key", store.lookup_app_key(&demo.app_key).await?, None)?;
    create_app(&store, &other).await?;
    let left = vec![Arc::new(other)];
    equal("list apps", store.list_apps().await?.0, left)?;
    let lookup = store.lookup_key(&key(1).hash).await?;
    equal("lookup", lookup, KeyLookup::Revoked)?;
    // The removed app's webhooks may still be pending.
    let known = store.lookup_app(&demo.id).await?;
    equal("lookup app", known, Some(Arc::new(demo.clone())))?;
    let outcome = store.delete_app(&demo.id, now).await?;
    equal("delete app", outcome, DeleteAppOutcome::Unknown)?;
    let outcome = replace_app(&store, &demo).await?;
    equal("change app", outcome, ChangeAppOutcome::Unknown)?;
    let outcome = store.issue_key(&demo.id, key(2)).await?;
    equal("issue key", outcome, IssueKeyOutcome::UnknownApp)?;
    let outcome = store.create_app(demo).await?;
    equal("create app", outcome, CreateAppOutcome::NameOfDeleted)
}

fn app_key(n: u8) -> Result<AppKey, Failure> {
    let key = format!("cs_app_{n:0>22}").parse();
    key.map_err(|_| Failure::new("app keys are well-formed"))
}

async fn found(store: Store) -> Checked {
    let [first, second] = ["one", "two"].map(|name| format!("{name}.example").parse::<LinkHost>());
    let (Ok(first), Ok(second)) = (first, second) else {
        return Err(Failure::new("hosts are well-formed"));
    };
    let with_host = |mut app: App, host: Option<&LinkHost>| {
        app.login.link_host = host.cloned();
        app
    };
    let mut shop = with_host(app("shop"), Some(&first));
    shop.app_key = app_key(2)?;
    let is_of = async |host: &LinkHost, expected: &[&App]| {
        let found = store.apps_of_link_host(host).await?;
        let expected: Vec<Arc<App>> = expected
            .iter()
            .map(|app| Arc::new((*app).clone()))
            .collect();
        equal("apps of a host", found, expected)
    };
    is_of(&first, &[]).await?;
    equal("find key", store.lookup_app_key(&shop.app_key).await?, None)?;
    create_app(&store, &shop).await?;
    is_of(&first, &[&shop]).await?;
    // A refused call leaves its entries behind, which must not be found.
    let mut refused = with_host(app("shop"), Some(&second));
    refused.app_key = app_key(3)?;
    let outcome = store.create_app(refused.clone()).await?;
    equal("create app", outcome, CreateAppOutcome::NameTaken)?;
    equal(
        "find key",
        store.lookup_app_key(&refused.app_key).await?,
        None,
    )?;
    is_of(&second, &[]).await?;
    let demo = app("demo");
    create_app(&store, &demo).await?;
    let demo = with_host(demo, Some(&first));
    replace_app(&store, &demo).await?;
    is_of(&first, &[&demo, &shop]).await?;
    let shop = with_host(shop, Some(&second));
    replace_app(&store, &shop).await?;
    is_of(&first, &[&demo]).await?;
    is_of(&second, &[&shop]).await?;
    let found = store.lookup_app_key(&shop.app_key).await?;
    equal("find key", found.as_deref(), Some(&shop))?;
    replace_app(&store, &with_host(demo, None)).await?;
    is_of(&first, &[]).await?;
    store.delete_app(&shop.id, NOW).await?;
    is_of(&second, &[]).await?;
    equal("find key", store.lookup_app_key(&shop.app_key).await?, None)
}

async fn profile(store: Store) -> Checked {
    let empty = InboundProfile::default();
    equal("profile", store.inbound_profile().await?.as_ref(), &empty)?;
    let mut demo = app("demo");
    create_app(&store, &demo).await?;
    create_app(&store, &app("other")).await?;
    profile_has(&store, &["CS"], &["+12025550199"]).await?;
    demo.prefix = "SHOP".parse::<CodePrefix>().unwrap_or_default();
    demo.senders = senders(&[(None, "12345"), (Some("GB"), "+447700900001")]);
    replace_app(&store, &demo).await?;
    let numbers = ["+12025550199", "+447700900001", "12345"];
    profile_has(&store, &["CS", "SHOP"], &numbers).await?;
    // Confirmations that were started before the update still use the earlier settings.
    demo.prefix = "LAST".parse::<CodePrefix>().unwrap_or_default();
    demo.senders = senders(&[(None, "99999")]);
    replace_app(&store, &demo).await?;
    let numbers = ["+12025550199", "+447700900001", "12345", "99999"];
    profile_has(&store, &["CS", "LAST", "SHOP"], &numbers).await?;
    replace_app(&store, &app("demo")).await?;
    profile_has(&store, &["CS", "LAST", "SHOP"], &numbers).await
}

/// Checks that the profile has exactly these prefixes and recipients, in any order.
async fn profile_has(store: &Store, prefixes: &[&str], recipients: &[&str]) -> Checked {
    let profile = store.inbound_profile().await?;
    let mut found: Vec<&str> = profile.prefixes.iter().map(CodePrefix::as_str).collect();
    found.sort_unstable();
    equal("prefixes", found.as_slice(), prefixes)?;
    let mut found: Vec<&str> = profile.recipients.iter().map(Recipient::as_str).collect();
    found.sort_unstable();
    equal("recipients", found.as_slice(), recipients)
}

async fn racing_apps(store: Store) -> Checked {
    let key = app_key(0)?;
    let new = |n: u8| App {
        created_at: NOW.plus(MILLI * n.into()),
        app_key: app_key(n).unwrap_or_else(|_| key.clone()),
        ..app("demo")
    };
    let outcomes = at_once(MANY, |n| {
        let (store, app) = (Arc::clone(&store), new(n));
        async move { store.create_app(app).await }
    })
    .await?;
    let made = outcomes
        .iter()
        .filter(|o| **o == CreateAppOutcome::Created)
        .count();
    equal("made", made, 1)?;
    for (n, outcome) in (0_u8..).zip(&outcomes) {
        let app = new(n);
        let found = store.lookup_app_key(&app.app_key).await?;
        if *outcome == CreateAppOutcome::Created {
            stored(&store, &app).await?;
            equal("find key", found.as_deref(), Some(&app))?;
        } else {
            equal("find key", found, None)?;
        }
    }
    Ok(())
}

/// Each of these changes adds one to a quota and uses a different number.
async fn racing_changes(store: Store) -> Checked {
    let demo = app("demo");
    create_app(&store, &demo).await?;
    let outcomes = at_once(MANY, |n| {
        let (store, id) = (Arc::clone(&store), demo.id.clone());
        async move {
            if n == 0 {
                let issued = store.issue_key(&id, key(1)).await?;
                return Ok(issued == IssueKeyOutcome::Issued);
            }
            let change = |mut app: App| {
                let quota = &mut app.quotas.logins.max_open;
                *quota = Some(quota.map_or(NonZeroU32::MIN, |most| most.saturating_add(1)));
                app.senders = senders(&[(None, &format!("{}", 10_000 + u32::from(n)))]);
                Ok::<_, Infallible>(app)
            };
            let changed = store.change_app(&id, change).await?;
            Ok(matches!(changed, ChangeAppOutcome::Changed(_)))
        }
    })
    .await?;
    equal("all succeed", outcomes, vec![true; MANY.into()])?;
    let found = store.find_app(&demo.id).await?;
    let counted = found.and_then(|app| app.quotas.logins.max_open);
    equal("changes", counted, NonZeroU32::new(u32::from(MANY) - 1))?;
    equal("keys", store.list_keys(&demo.id).await?, vec![key(1)])?;
    // The app's first number, and one number from each change.
    let profile = store.inbound_profile().await?;
    equal("recipients", profile.recipients.len(), MANY.into())
}

async fn change_or_delete(store: Store) -> Checked {
    let demo = app("demo");
    create_app(&store, &demo).await?;
    let outcomes = at_once(MANY, |n| {
        let (store, mut demo) = (Arc::clone(&store), demo.clone());
        async move {
            if n % 8 == 0 {
                let deleted = store.delete_app(&demo.id, NOW).await?;
                return Ok(deleted == DeleteAppOutcome::Deleted);
            }
            demo.created_at = NOW.plus(MILLI * n.into());
            replace_app(&store, &demo).await?;
            Ok(false)
        }
    })
    .await?;
    equal("deleted", outcomes.iter().filter(|done| **done).count(), 1)?;
    equal("find app", store.find_app(&demo.id).await?, None)
}
