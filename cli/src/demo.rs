//! The demo app of local mode, and `DATA/demo.json`, which describes it to scripts.

mod login;

use std::convert::Infallible;
use std::fmt;

use countersign_domain::app::api_key::{ApiKeyId, ApiKeyRecord, KeyMode, PresentedApiKey};
use countersign_domain::app::login::WebPhoneRefusal;
use countersign_domain::app::senders::{Recipient, SenderPool};
use countersign_domain::app::{App, AppKey};
use countersign_domain::primitives::entropy::Entropy;
use countersign_domain::primitives::ids::AppId;
use countersign_domain::primitives::time::Clock;
use countersign_domain::primitives::unavailable::Unavailable;
use countersign_domain::primitives::webhook_secret::WebhookSecret;
use countersign_domain::store::{
    ChangeAppOutcome, CreateAppOutcome, IssueKeyOutcome, KeyLookup, Store,
};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::data_dir::{DEMO, DataDir, DataDirError};

/// The demo app's name.
const NAME: &str = "demo";

/// The default number for texts. It is fictional (NANP 555-0100 to 555-0199), so texts to it reach no
/// phone.
pub(crate) const NUMBER: &str = "+12025550199";

/// The content of `demo.json`. It contains secrets; `Debug` hides them.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DemoFile {
    /// The server's URL, without a trailing slash.
    pub(crate) url: String,
    /// The server's URLs, one for each of its names.
    #[serde(default)]
    pub(crate) pages: Vec<String>,
    /// The server's URLs before its names or its port last changed.
    #[serde(default)]
    pub(crate) former_pages: Vec<String>,
    /// The demo app's API key.
    pub(crate) api_key: String,
    pub(crate) app_key: String,
    /// The secret of `POST /inbound-sms/generic`.
    pub(crate) inbound_secret: String,
    /// A number that receives texts for the demo app.
    pub(crate) send_to: String,
}

impl fmt::Debug for DemoFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DemoFile")
            .field("url", &self.url)
            .finish_non_exhaustive()
    }
}

impl DemoFile {
    /// Reads the file; `None` if it is missing or malformed.
    pub(crate) fn read(data: &DataDir) -> Result<Option<Self>, DataDirError> {
        let text = data.read(DEMO)?;
        Ok(text.and_then(|text| serde_json::from_str(&text).ok()))
    }

    fn write(&self, data: &DataDir) -> Result<(), DemoError> {
        let mut text = serde_json::to_string_pretty(self)?;
        text.push('\n');
        Ok(data.write(DEMO, &text)?)
    }
}

/// Why the demo app could not be prepared.
#[derive(Debug, Error)]
pub(crate) enum DemoError {
    /// The store is unavailable.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
    /// The file could not be read or written.
    #[error(transparent)]
    Data(#[from] DataDirError),
    /// The file's content could not be serialized.
    #[error("cannot serialise demo.json")]
    Json(#[from] serde_json::Error),
    #[error(
        "the app demo, which local mode needs, was deleted; choose another data directory with --data"
    )]
    Deleted,
    /// Another app has this server's host for its web authenticator.
    #[error("the app demo, which local mode needs, cannot have its link host: {0}")]
    LinkHost(#[from] WebPhoneRefusal),
    /// The built-in settings of the demo app are invalid; tests prevent this.
    #[error("the demo app's settings are invalid")]
    Malformed,
}

/// The demo app at the start of the server.
#[derive(Debug)]
pub(crate) enum Demo {
    /// The app can be used.
    Ready {
        /// The file's content.
        file: DemoFile,
        /// The app's API key, as in the file.
        api_key: PresentedApiKey,
        origin: KeyOrigin,
    },
    /// None of the app's active API keys is known, and the app cannot have another.
    NoKey {
        /// The ids of the active keys.
        active: Vec<ApiKeyId>,
    },
}

/// Origin of the demo app's API key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeyOrigin {
    /// Issued when the app was created.
    First,
    /// Read from the file.
    Kept,
    /// Issued because the file had no working key.
    Replaced,
}

/// The ports needed to prepare the demo app.
#[derive(Clone, Copy)]
pub(crate) struct DemoPorts<'a> {
    /// Holds apps and API keys.
    pub(crate) store: &'a Store,
    /// Supplies timestamps for new objects.
    pub(crate) clock: &'a dyn Clock,
    /// Generates keys.
    pub(crate) entropy: &'a dyn Entropy,
}

/// Prepares the demo app: creates it if it is missing, updates its login settings to the server's pages (the first
/// one has the server's URL), and rewrites the file.
///
/// The file is written before its key is issued. If the process dies in between, the next start
/// issues the same key, so no key is ever lost.
pub(crate) async fn prepare(
    ports: DemoPorts<'_>,
    data: &DataDir,
    pages: &[String],
    inbound_secret: &WebhookSecret,
) -> Result<Demo, DemoError> {
    let former = DemoFile::read(data)?;
    let app = find_or_create(ports).await?;
    let [last, earlier] = former.as_ref().map_or_else(Default::default, |file| {
        [file.pages.clone(), file.former_pages.clone()]
    });
    let followed = login::Pages {
        now: pages,
        last: &last,
        earlier: &earlier,
    };
    follow(ports, &app, followed).await?;
    let former_pages = if last == pages { earlier } else { last };
    let written = former.and_then(|file| file.api_key.parse::<PresentedApiKey>().ok());
    let known = match &written {
        Some(key) => ports.store.lookup_key(&key.hash()).await?,
        None => KeyLookup::Unknown,
    };
    let file = |key: &PresentedApiKey| DemoFile {
        url: pages.first().cloned().unwrap_or_default(),
        pages: pages.to_vec(),
        former_pages: former_pages.clone(),
        api_key: key.reveal().to_owned(),
        app_key: app.app_key.as_str().to_owned(),
        inbound_secret: inbound_secret.reveal().to_string(),
        send_to: app
            .senders
            .numbers()
            .next()
            .map(|(_, number)| number.to_string())
            .unwrap_or_default(),
    };
    let key = match (known, written) {
        (KeyLookup::Active(owner), Some(key)) if owner.id == app.id => {
            let file = file(&key);
            file.write(data)?;
            return Ok(Demo::Ready {
                file,
                api_key: key,
                origin: KeyOrigin::Kept,
            });
        }
        (KeyLookup::Unknown, Some(key)) => key,
        _ => PresentedApiKey::generate(ports.entropy),
    };
    let issued = ports.store.list_keys(&app.id).await?;
    let active: Vec<_> = issued.iter().filter(|key| key.is_active()).collect();
    if active.len() < countersign_domain::app::api_key::MAX_ACTIVE_KEYS {
        let file = file(&key);
        file.write(data)?;
        let record = ApiKeyRecord {
            hash: key.hash(),
            issued_at: ports.clock.now(),
            revoked_at: None,
            mode: KeyMode::Live,
            label: None,
        };
        if ports.store.issue_key(&app.id, record).await? == IssueKeyOutcome::Issued {
            let origin = if issued.is_empty() {
                KeyOrigin::First
            } else {
                KeyOrigin::Replaced
            };
            return Ok(Demo::Ready {
                file,
                api_key: key,
                origin,
            });
        }
    }
    data.remove(DEMO)?;
    Ok(Demo::NoKey {
        active: active.into_iter().map(|key| key.hash.id()).collect(),
    })
}

async fn find_or_create(ports: DemoPorts<'_>) -> Result<std::sync::Arc<App>, DemoError> {
    let id = NAME.parse::<AppId>().map_err(|_| DemoError::Malformed)?;
    if let Some(app) = ports.store.find_app(&id).await? {
        return Ok(app);
    }
    let number = NUMBER
        .parse::<Recipient>()
        .map_err(|_| DemoError::Malformed)?;
    let senders = SenderPool::new([(None, number)]).map_err(|_| DemoError::Malformed)?;
    let key = AppKey::generate(ports.entropy);
    let app = App::new(id, key, ports.clock.now(), senders);
    match ports.store.create_app(app.clone()).await? {
        CreateAppOutcome::Created => Ok(app.into()),
        // It has no link host yet.
        CreateAppOutcome::NameTaken | CreateAppOutcome::HostRefused(_) => Err(DemoError::Malformed),
        CreateAppOutcome::NameOfDeleted => Err(DemoError::Deleted),
    }
}

/// Updates the app's login settings so that pages of the server may create logins.
async fn follow(ports: DemoPorts<'_>, app: &App, pages: login::Pages<'_>) -> Result<(), DemoError> {
    let decide = |app: App| {
        let login = login::follow(&app.login, pages);
        Ok::<_, Infallible>(App { login, ..app })
    };
    match ports.store.change_app(&app.id, decide).await? {
        ChangeAppOutcome::Changed(_) => Ok(()),
        ChangeAppOutcome::Unknown => Err(DemoError::Malformed),
        ChangeAppOutcome::HostRefused(refusal) => Err(refusal.into()),
        ChangeAppOutcome::Refused(never) => match never {},
    }
}

#[cfg(test)]
mod tests;
