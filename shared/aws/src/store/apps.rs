//! The app store. An app and its API keys are one item, so issuing a key, revoking a key and changing
//! the app each take one conditional write.

use std::sync::Arc;

use async_trait::async_trait;
use countersign_domain::app::api_key::{ApiKeyHash, ApiKeyId, ApiKeyRecord, MAX_ACTIVE_KEYS};
use countersign_domain::app::code::CodePrefix;
use countersign_domain::app::senders::Recipient;
use countersign_domain::app::store::{
    AppStore, CreateAppOutcome, IssueKeyOutcome, KeyLookup, RevokeKeyOutcome, UpdateAppOutcome,
};
use countersign_domain::app::{App, AppKey, InboundProfile};
use countersign_domain::primitives::ids::AppId;
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::primitives::unavailable::Unavailable;
use countersign_domain::web::link_host::LinkHost;
use countersign_records::KeyRecord;

use super::attributes::app::{ACTIVE, KEYS};
use super::attributes::{Key, PK, pointer, profile};
use super::change::Change;
use super::fault::Fault;
use super::item::{AttributeValue, Item, instant, number, text};
use super::record::{
    AppItem, REVOKED_AT, app_changes, decode_app, decode_owner, from_item, new_app, value,
};
use super::{DynamoStore, Written, unavailable};

#[async_trait]
impl AppStore for DynamoStore {
    async fn lookup_key(&self, hash: &ApiKeyHash) -> Result<KeyLookup, Unavailable> {
        self.lookup(hash)
            .await
            .map_err(unavailable("app store: look up key"))
    }

    async fn find_app(&self, id: &AppId) -> Result<Option<Arc<App>>, Unavailable> {
        let found = self.read_app(id).await;
        found
            .map(|item| item.map(|item| item.app))
            .map_err(unavailable("app store: find app"))
    }

    async fn list_apps(&self) -> Result<Vec<Arc<App>>, Unavailable> {
        self.all_apps()
            .await
            .map_err(unavailable("app store: list apps"))
    }

    async fn lookup_app_key(&self, key: &AppKey) -> Result<Option<Arc<App>>, Unavailable> {
        let find = |apps: &[Arc<App>]| apps.iter().find(|app| app.app_key == *key).cloned();
        self.among_apps(find)
            .await
            .map_err(unavailable("app store: look up app key"))
    }

    async fn apps_of_link_host(&self, host: &LinkHost) -> Result<Vec<Arc<App>>, Unavailable> {
        let find = |apps: &[Arc<App>]| {
            let of_host = |app: &&Arc<App>| app.login.link_host.as_ref() == Some(host);
            let found: Vec<_> = apps.iter().filter(of_host).cloned().collect();
            (!found.is_empty()).then_some(found)
        };
        self.among_apps(find)
            .await
            .map(Option::unwrap_or_default)
            .map_err(unavailable("app store: apps of link host"))
    }

    async fn create_app(&self, app: App) -> Result<CreateAppOutcome, Unavailable> {
        self.put_app(&app)
            .await
            .map_err(unavailable("app store: create app"))
    }

    async fn update_app(&self, app: App) -> Result<UpdateAppOutcome, Unavailable> {
        self.change_app(&app)
            .await
            .map_err(unavailable("app store: update app"))
    }

    async fn issue_key(
        &self,
        app: &AppId,
        key: ApiKeyRecord,
    ) -> Result<IssueKeyOutcome, Unavailable> {
        self.issue(app, &key)
            .await
            .map_err(unavailable("app store: issue key"))
    }

    async fn list_keys(&self, app: &AppId) -> Result<Vec<ApiKeyRecord>, Unavailable> {
        let found = self.read_app(app).await;
        found
            .map(|item| item.map_or_else(Vec::new, |item| item.keys))
            .map_err(unavailable("app store: list keys"))
    }

    async fn revoke_key(
        &self,
        app: &AppId,
        key: &ApiKeyId,
        now: Timestamp,
    ) -> Result<RevokeKeyOutcome, Unavailable> {
        self.revoke(app, key, now)
            .await
            .map_err(unavailable("app store: revoke key"))
    }

    async fn inbound_profile(&self) -> Result<Arc<InboundProfile>, Unavailable> {
        let read = async {
            // Not cached: a stale profile would reject the first texts to a new app.
            let item = self.get(Key::profile()).await?;
            let profile = item.map(|item| from_item((), &item)).transpose()?;
            Ok(Arc::new(profile.unwrap_or_default()))
        };
        read.await
            .map_err(unavailable("app store: inbound profile"))
    }
}

impl DynamoStore {
    /// Reads an app with its keys, strongly consistent.
    async fn read_app(&self, id: &AppId) -> Result<Option<AppItem>, Fault> {
        let item = self.get(Key::app(id)).await?;
        Ok(item.map(|item| decode_app(&item)).transpose()?)
    }

    /// Looks a key up. The key's pointer names the app, and the app's item decides whether the key is valid.
    async fn lookup(&self, hash: &ApiKeyHash) -> Result<KeyLookup, Fault> {
        let now = self.clock.now();
        let known = self.cache.owner(hash);
        let owner = match &known {
            Some(owner) => owner.clone(),
            None => match self.get(Key::pointer(hash)).await? {
                Some(item) => decode_owner(&item)?,
                None => return Ok(KeyLookup::Unknown),
            },
        };
        let cached = self.cache.app(&owner, now);
        if let Some(answer) = cached.and_then(|item| answer(&item, hash)) {
            if known.is_none() {
                self.cache.put_owner(*hash, owner);
            }
            return Ok(answer);
        }
        // Not cached, or the key is newer than the cached app.
        let Some(item) = self.read_app(&owner).await? else {
            return Ok(KeyLookup::Unknown);
        };
        let answer = answer(&item, hash);
        self.cache.put(item, now);
        let Some(answer) = answer else {
            return Ok(KeyLookup::Unknown);
        };
        if known.is_none() {
            self.cache.put_owner(*hash, owner);
        }
        Ok(answer)
    }

    async fn put_app(&self, app: &App) -> Result<CreateAppOutcome, Fault> {
        // The condition below decides. This read only keeps the prefix and the numbers of a refused app
        // out of the profile.
        if self.get(Key::app(&app.id)).await?.is_some() {
            return Ok(CreateAppOutcome::NameTaken);
        }
        self.widen_profile(app).await?;
        let change = Change::of_any(Key::app(&app.id)).when(format!("attribute_not_exists(#{PK})"));
        match self.make_app(&app.id, new_app(change, app)?).await? {
            AppWritten::Made => Ok(CreateAppOutcome::Created),
            AppWritten::Refused(_) => Ok(CreateAppOutcome::NameTaken),
        }
    }

    async fn change_app(&self, app: &App) -> Result<UpdateAppOutcome, Fault> {
        let Some(before) = self.read_app(&app.id).await? else {
            return Ok(UpdateAppOutcome::Unknown);
        };
        self.widen_profile(app).await?;
        let change = app_changes(Change::of(Key::app(&app.id)), &before.app, app)?;
        match self.make_app(&app.id, change).await? {
            AppWritten::Made => Ok(UpdateAppOutcome::Updated),
            AppWritten::Refused(None) => Ok(UpdateAppOutcome::Unknown),
            AppWritten::Refused(Some(_)) => Err(Fault::Contradiction("the app")),
        }
    }

    /// Adds an app's prefix and numbers to the profile. Called before the app is written, so that no
    /// confirmation has a prefix or number whose texts are not accepted.
    async fn widen_profile(&self, app: &App) -> Result<(), Fault> {
        let InboundProfile {
            prefixes,
            recipients,
        } = InboundProfile::of([app]);
        let prefixes = prefixes.iter().map(CodePrefix::as_str).map(str::to_owned);
        let numbers = recipients.iter().map(Recipient::as_str).map(str::to_owned);
        let change = Change::of_any(Key::profile())
            .add(profile::PREFIXES, ":prefixes")
            .given(":prefixes", AttributeValue::Ss(prefixes.collect()))
            .add(profile::NUMBERS, ":numbers")
            .given(":numbers", AttributeValue::Ss(numbers.collect()));
        match self.make(change).await? {
            Written::Made(_) => Ok(()),
            Written::Refused(item) => {
                // The profile has a version that this release cannot read. Decoding it returns that error.
                let read = |item: Item| from_item::<InboundProfile>((), &item);
                item.map(read).transpose()?;
                Err(Fault::Contradiction("the profile"))
            }
        }
    }

    async fn issue(&self, app: &AppId, key: &ApiKeyRecord) -> Result<IssueKeyOutcome, Fault> {
        // The conditions below decide. These reads only keep refused keys from leaving a pointer behind.
        let Some(item) = self.read_app(app).await? else {
            return Ok(IssueKeyOutcome::UnknownApp);
        };
        if let Some(pointer) = self.get(Key::pointer(&key.hash)).await?
            && decode_owner(&pointer)? != *app
        {
            return Err(COLLISION);
        }
        if let Some(refusal) = refusal(Some(&item), key)? {
            return Ok(refusal);
        }
        self.point(key, app).await?;
        let id = key.hash.id();
        let id = id.as_str();
        let change = Change::of(Key::app(app))
            .when(format!("attribute_not_exists(#{KEYS}.#{id})"))
            .when(format!("#{ACTIVE} < :most"))
            .given(":most", number(MAX_ACTIVE_KEYS as u64))
            .set_to(format!("#{KEYS}.#{id} = :key"))
            .given(":key", value(&KeyRecord::from(key)))
            .add(ACTIVE, ":one");
        match self.make_app(app, change).await? {
            AppWritten::Made => Ok(IssueKeyOutcome::Issued),
            AppWritten::Refused(item) => {
                refusal(item.as_ref(), key)?.ok_or(Fault::Contradiction("the app"))
            }
        }
    }

    /// Writes the pointer of a key. The key becomes valid only when the app's item lists it.
    async fn point(&self, key: &ApiKeyRecord, app: &AppId) -> Result<(), Fault> {
        let owner = pointer::APP;
        let change = Change::of_any(Key::pointer(&key.hash))
            .when(format!(
                "(attribute_not_exists(#{owner}) OR #{owner} = :app)"
            ))
            .given(":app", text(app.as_str()))
            .set_to(format!("#{owner} = :app"));
        match self.make(change).await? {
            Written::Made(_) => Ok(()),
            Written::Refused(item) => {
                item.map(|item| decode_owner(&item)).transpose()?;
                Err(COLLISION)
            }
        }
    }

    async fn revoke(
        &self,
        app: &AppId,
        key: &ApiKeyId,
        now: Timestamp,
    ) -> Result<RevokeKeyOutcome, Fault> {
        let id = key.as_str();
        let change = Change::of(Key::app(app))
            .when(format!("attribute_exists(#{KEYS}.#{id})"))
            .when(format!("attribute_not_exists(#{KEYS}.#{id}.#{REVOKED_AT})"))
            .set_to(format!("#{KEYS}.#{id}.#{REVOKED_AT} = :now"))
            .given(":now", instant(now))
            .add(ACTIVE, ":one_less")
            .given(":one_less", AttributeValue::N("-1".to_owned()));
        match self.make_app(app, change).await? {
            AppWritten::Made => Ok(RevokeKeyOutcome::Revoked),
            AppWritten::Refused(item) => {
                let known = item.and_then(|item| {
                    let mut keys = item.keys.into_iter();
                    keys.find(|known| known.hash.id() == *key)
                });
                match known {
                    None => Ok(RevokeKeyOutcome::Unknown),
                    Some(known) if !known.is_active() => Ok(RevokeKeyOutcome::AlreadyRevoked),
                    Some(_) => Err(Fault::Contradiction("the app")),
                }
            }
        }
    }

    /// Changes an app and caches the result. If the call gets no response, the app is read again before
    /// the cache is used.
    async fn make_app(&self, id: &AppId, change: Change) -> Result<AppWritten, Fault> {
        let now = self.clock.now();
        let made = async {
            Ok(match self.make(change).await? {
                Written::Made(item) => (true, Some(decode_app(&item)?)),
                Written::Refused(item) => (false, item.map(|item| decode_app(&item)).transpose()?),
            })
        };
        let made = made.await;
        self.listing.forget();
        let (made, item) = made.inspect_err(|_: &Fault| self.cache.distrust(id))?;
        if let Some(item) = &item {
            self.cache.put(item.clone(), now);
        }
        Ok(if made {
            AppWritten::Made
        } else {
            AppWritten::Refused(item)
        })
    }
}

/// The outcome of a change of an app.
enum AppWritten {
    /// The change was made.
    Made,
    /// A condition did not hold. Holds the app, if it exists.
    Refused(Option<AppItem>),
}

const COLLISION: Fault = Fault::Collision("an API key with this hash");

/// Returns the state of a key in an app's item, or `None` if the item does not have it.
fn answer(item: &AppItem, hash: &ApiKeyHash) -> Option<KeyLookup> {
    let key = item.key(hash)?;
    Some(if key.is_active() {
        KeyLookup::Active(Arc::clone(&item.app))
    } else {
        KeyLookup::Revoked
    })
}

/// Returns the reason why an app cannot have a new key, or `None` if it can.
fn refusal(item: Option<&AppItem>, key: &ApiKeyRecord) -> Result<Option<IssueKeyOutcome>, Fault> {
    let Some(item) = item else {
        return Ok(Some(IssueKeyOutcome::UnknownApp));
    };
    if item
        .keys
        .iter()
        .any(|known| known.hash.id() == key.hash.id())
    {
        return Err(COLLISION);
    }
    let active = item.keys.iter().filter(|known| known.is_active()).count();
    Ok((active >= MAX_ACTIVE_KEYS).then_some(IssueKeyOutcome::TooMany))
}
