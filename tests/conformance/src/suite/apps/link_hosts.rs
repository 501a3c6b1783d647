//! Cases about apps that have a link host for themselves, because of the web authenticator.

use std::convert::Infallible;
use std::sync::Arc;

use countersign_domain::app::App;
use countersign_domain::app::login::WebPhoneRefusal;
use countersign_domain::store::{ChangeAppOutcome, CreateAppOutcome};
use countersign_domain::web::link_host::LinkHost;

use super::{Case, Store, create_app, replace_app, stored};
use crate::check::{Checked, Failure, equal, holds};
use crate::samples::{NOW, app, app_id};
use crate::suite::races::{ROUNDS, at_once};

/// The number of apps. Each writes again after each of the others, and DynamoDB Local has one lock for all.
const FEW: u8 = 8;

pub(super) const CASES: &[Case<countersign_domain::store::Store>] = &[
    Case {
        name: "link hosts: app with the web authenticator has its host for itself",
        run: |store| Box::pin(alone(store)),
    },
    Case {
        name: "race: of 8 apps that want one host, one with the web authenticator has it, or all without",
        run: |store| Box::pin(race(store)),
    },
];

fn host(name: &str) -> Result<LinkHost, Failure> {
    let host = format!("{name}.example").parse();
    host.map_err(|_| Failure::new("hosts are well-formed"))
}

fn at(name: &str, host: &LinkHost, web_phone: bool) -> App {
    let mut app = app(name);
    app.login.link_host = Some(host.clone());
    app.login.web_phone = web_phone;
    app
}

type Changed = ChangeAppOutcome<Infallible>;

fn refused(refusal: WebPhoneRefusal) -> Changed {
    ChangeAppOutcome::HostRefused(refusal)
}

async fn alone(store: Store) -> Checked {
    let (host, elsewhere) = (host("one")?, host("two")?);
    let of = |name| (host.clone(), app_id(name));
    let shop = at("shop", &host, false);
    create_app(&store, &shop).await?;
    create_app(&store, &at("demo", &host, false)).await?;
    let with_phones = at("shop", &host, true);
    let (own, other) = of("demo");
    let shared = WebPhoneRefusal::SharedHost { host: own, other };
    let outcome = replace_app(&store, &with_phones).await?;
    equal("shared host", outcome, refused(shared))?;
    stored(&store, &shop).await?;
    // It is free once the other one has left, although that one was a candidate.
    replace_app(&store, &at("demo", &elsewhere, true)).await?;
    let outcome = replace_app(&store, &with_phones).await?;
    let expected = ChangeAppOutcome::Changed(with_phones.clone().into());
    equal("free host", outcome, expected)?;

    let (own, other) = of("shop");
    let taken = WebPhoneRefusal::HostTaken { host: own, other };
    let outcome = replace_app(&store, &at("demo", &host, false)).await?;
    equal("taken host", outcome, refused(taken.clone()))?;
    let created = store.create_app(at("new", &host, false)).await?;
    equal("taken host", created, CreateAppOutcome::HostRefused(taken))?;
    equal("find app", store.find_app(&app_id("new")).await?, None)?;
    stored(&store, &at("demo", &elsewhere, true)).await?;
    // What takes nothing from others is no reason to refuse.
    replace_app(&store, &at("shop", &host, false)).await?;
    create_app(&store, &at("new", &host, false)).await?;
    store.delete_app(&app_id("new"), NOW).await?;
    let outcome = replace_app(&store, &with_phones).await?;
    let expected = ChangeAppOutcome::Changed(with_phones.into());
    equal("host of a deleted app", outcome, expected)
}

/// The first app has the host and turns the web authenticator on. Meanwhile new apps and others get the host, a few of
/// them with the web authenticator.
async fn race(store: Store) -> Checked {
    for round in 0..ROUNDS {
        let host = host(&format!("h{round}"))?;
        let name = |n: u8| format!("app-{round}-{n}");
        create_app(&store, &at(&name(0), &host, false)).await?;
        for n in (2..FEW).step_by(2) {
            create_app(&store, &app(&name(n))).await?;
        }
        let outcomes = at_once(FEW, |n| {
            let (store, app) = (Arc::clone(&store), at(&name(n), &host, n % 4 == 0));
            async move {
                if n % 2 == 1 {
                    return Ok(store.create_app(app).await? == CreateAppOutcome::Created);
                }
                let changed = replace_app(&store, &app).await?;
                Ok(matches!(changed, ChangeAppOutcome::Changed(_)))
            }
        });
        let outcomes = outcomes.await?;
        let there = store.apps_of_link_host(&host).await?;
        let alone = there.iter().any(|app| app.login.web_phone);
        let taken = outcomes.iter().filter(|taken| **taken).count();
        // The first app had it before.
        let first = usize::from(!outcomes[0]);
        equal("apps that have it", there.len(), taken + first)?;
        holds("one has it for itself", !alone || there.len() == 1)?;
        let others = usize::from(FEW) - usize::from(FEW / 4);
        holds("or all without have it", alone || taken == others)?;
    }
    Ok(())
}
