use countersign_domain::app::client_secret::{ClientSecretRecord, PresentedClientSecret};

use countersign_domain::store::{IssueSecretOutcome, RevokeSecretOutcome};

use super::{Store, create_app};
use crate::check::{Checked, equal};
use crate::ports::FixedEntropy;
use crate::samples::{NOW, app, app_id, client_secret};
use crate::suite::Case;

pub(super) const CASES: &[Case<countersign_domain::store::Store>] = &[
    Case {
        name: "client secrets: only an active secret of the app fits",
        run: |store| Box::pin(only_its_own(store)),
    },
    Case {
        name: "client secrets: two can be active, and a revocation makes room",
        run: |store| Box::pin(two_active(store)),
    },
    Case {
        name: "client secrets: a deleted app has none that fit",
        run: |store| Box::pin(of_deleted_app(store)),
    },
];

fn secret(seed: u8) -> (PresentedClientSecret, ClientSecretRecord) {
    let presented = PresentedClientSecret::generate(&FixedEntropy(seed));
    let record = ClientSecretRecord {
        hash: presented.hash(),
        ..client_secret(seed)
    };
    (presented, record)
}

async fn issued(store: &Store, app: &str, record: &ClientSecretRecord) -> Checked {
    let outcome = store
        .issue_client_secret(&app_id(app), record.clone())
        .await?;
    equal("issue", outcome, IssueSecretOutcome::Issued)
}

async fn only_its_own(store: Store) -> Checked {
    for name in ["shop", "bank"] {
        create_app(&store, &app(name)).await?;
    }
    let [shop, bank, none] = ["shop", "bank", "none"].map(app_id);
    let (presented, record) = secret(1);
    let fits = |app| store.client_secret_fits(app, &presented);
    equal("before", fits(&shop).await?, false)?;
    issued(&store, "shop", &record).await?;
    equal("issued", fits(&shop).await?, true)?;
    equal("other app", fits(&bank).await?, false)?;
    equal("no app", fits(&none).await?, false)?;
    let other = secret(2).0;
    let fits_other = store.client_secret_fits(&shop, &other).await?;
    equal("other secret", fits_other, false)?;
    let id = record.hash.id();
    let revoked = ClientSecretRecord {
        revoked_at: Some(NOW),
        ..record
    };
    for _ in 0..2 {
        let outcome = store.revoke_client_secret(&shop, &id, NOW).await?;
        equal(
            "revoke",
            outcome,
            RevokeSecretOutcome::Revoked(revoked.clone()),
        )?;
    }
    equal("revoked", fits(&shop).await?, false)
}

async fn two_active(store: Store) -> Checked {
    create_app(&store, &app("shop")).await?;
    let (shop, [one, two, three]) = (app_id("shop"), [1, 2, 3].map(|seed| secret(seed).1));
    issued(&store, "shop", &one).await?;
    issued(&store, "shop", &two).await?;
    issued(&store, "shop", &two).await?;
    let refused = store.issue_client_secret(&shop, three.clone()).await?;
    equal("third", refused, IssueSecretOutcome::TooMany)?;
    store
        .revoke_client_secret(&shop, &one.hash.id(), NOW)
        .await?;
    issued(&store, "shop", &three).await?;
    let listed = store.list_client_secrets(&shop).await?;
    let ids = listed.iter().map(|(secret, _)| secret.hash);
    let expected = vec![one.hash, two.hash, three.hash];
    equal("listed", ids.collect::<Vec<_>>(), expected)
}

async fn of_deleted_app(store: Store) -> Checked {
    create_app(&store, &app("shop")).await?;
    let (shop, (presented, record)) = (app_id("shop"), secret(1));
    issued(&store, "shop", &record).await?;
    store.delete_app(&shop, NOW).await?;
    let fits = store.client_secret_fits(&shop, &presented).await?;
    equal("deleted", fits, false)?;
    let again = store.issue_client_secret(&shop, secret(2).1).await?;
    equal("issue", again, IssueSecretOutcome::UnknownApp)
}
