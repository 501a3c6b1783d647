//! Creating, showing, changing and deleting apps.

use std::sync::Arc;

use clap::Args;
use countersign_domain::app::api_key::KeyMode;
use countersign_domain::app::{App, AppKey};
use countersign_domain::primitives::ids::AppId;
use countersign_domain::store::{ChangeAppOutcome, CreateAppOutcome, DeleteAppOutcome};
use countersign_domain::web::link_host::LinkHost;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::keys::NOT_SHOWN_AGAIN;
use super::request::{Answer, Item, List, Request};
use super::seen_settings::SeenSettings;
use super::settings::{AppOptions, describe, pool};
use super::{Admin, AdminError};
use crate::print::{self, Tree};
use crate::schema::OurObject;

/// The arguments of `app create`.
#[derive(Clone, Debug, Args, Serialize, Deserialize)]
pub(crate) struct CreateApp {
    /// The app's name: lower-case letters, digits and hyphens
    pub(crate) app: AppId,
    #[command(flatten)]
    pub(crate) settings: AppOptions,
}

/// Lists the apps with their settings: the arguments of `app list`.
#[derive(Clone, Debug, Args, Serialize, Deserialize, JsonSchema)]
pub(crate) struct ListApps {}

/// Shows an app with its settings: the arguments of `app show`.
#[derive(Clone, Debug, Args, Serialize, Deserialize, JsonSchema)]
pub(crate) struct ShowApp {
    /// The app's name
    #[schemars(with = "String")]
    pub(crate) app: AppId,
}

/// The arguments of `app update`; at least one is required in addition to the name.
#[derive(Clone, Debug, Args, Serialize, Deserialize)]
#[command(override_usage = "countersign app update [OPTIONS] <APP> <CHANGE>...")]
pub(crate) struct UpdateApp {
    /// The app's name
    app: AppId,
    #[command(flatten)]
    pub(crate) settings: AppOptions,
    /// The settings as the operator saw them, by their path in the app's JSON: nothing changes if one differs now.
    #[arg(skip)]
    #[serde(default, skip_serializing_if = "SeenSettings::is_empty")]
    seen: SeenSettings,
}

/// The arguments of `app delete`.
#[derive(Clone, Debug, Args, Serialize, Deserialize)]
pub(crate) struct DeleteApp {
    /// The app's name
    app: AppId,
    /// Confirm the deletion: the app cannot be restored, and its name can never be used again
    #[arg(long, required = true)]
    #[serde(skip)]
    yes: bool,
}

/// An app with its settings.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub(crate) struct ShownApp(#[schemars(with = "OurObject")] Tree);

impl ShownApp {
    fn from_app(app: &App) -> Self {
        Self(describe(app))
    }

    /// Returns the app's name.
    pub(crate) fn name(&self) -> Option<&str> {
        self.0.get("app")?.as_str()
    }

    /// Returns the app's public key, which browsers and phones send.
    pub(crate) fn app_key(&self) -> Option<AppKey> {
        self.0.get("appKey")?.as_str()?.parse().ok()
    }

    /// Returns one of the app's login settings.
    pub(crate) fn login(&self, name: &str) -> Option<&Tree> {
        self.0.get("login")?.get(name)
    }
}

impl Answer for ShownApp {
    fn text(&self) -> String {
        print::text(&self.0)
    }
}

impl Item for ShownApp {
    const EMPTY: &'static str = "There are no apps yet: `countersign app create NAME`";
    const COLUMNS: &'static [&'static str] = &["app", "appKey"];
}

/// A new app with its first API key, which is never shown again.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct NewApp(pub(crate) ShownApp);

impl Answer for NewApp {
    fn text(&self) -> String {
        format!("{}\n\n{NOT_SHOWN_AGAIN}", self.0.text())
    }

    fn new_key(&self) -> Option<&str> {
        self.0.0.get("keyId")?.as_str()
    }
}

/// A deleted app.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct DeletedApp {
    app: AppId,
}

impl Answer for DeletedApp {
    fn text(&self) -> String {
        format!("{}  deleted", self.app)
    }
}

impl Request for CreateApp {
    const NAME: &'static str = "create_app";
    const CHANGES: bool = true;
    type Answer = NewApp;

    #[cfg(feature = "aws")]
    fn uses_defaults(&self) -> bool {
        self.settings.leave_to_defaults()
    }

    async fn execute(self, admin: &Admin) -> Result<NewApp, AdminError> {
        let Self { app: id, settings } = self;
        let senders = match (&settings.senders, &admin.defaults.senders) {
            (named, _) if !named.is_empty() => pool(named.clone())?,
            (_, defaults) if !defaults.is_empty() => pool(defaults.clone())?,
            _ => return Err(AdminError::NoSender),
        };
        let key = AppKey::generate(admin.entropy.as_ref());
        let mut app = App::new(id.clone(), key, admin.clock.now(), senders);
        app.prefix.clone_from(&admin.defaults.prefix);
        let app = admin.changed(app, settings)?;
        let mut shown = ShownApp::from_app(&app);
        match admin.store.create_app(app).await? {
            CreateAppOutcome::Created => {}
            CreateAppOutcome::NameTaken => return Err(AdminError::NameTaken(id)),
            CreateAppOutcome::NameOfDeleted => return Err(AdminError::NameOfDeleted(id)),
            CreateAppOutcome::HostRefused(refusal) => return Err(refusal.into()),
        }
        let key = admin.issue_key(&id, KeyMode::Live, None).await?;
        shown.0.extend(Tree::from_value(&key));
        Ok(NewApp(shown))
    }
}

impl Request for ListApps {
    const NAME: &'static str = "list_apps";
    type Answer = List<ShownApp>;

    async fn execute(self, admin: &Admin) -> Result<List<ShownApp>, AdminError> {
        let (apps, left_out) = admin.store.list_apps().await?;
        let items = apps.iter().map(|app| ShownApp::from_app(app)).collect();
        Ok(List { items, left_out })
    }
}

impl Request for ShowApp {
    const NAME: &'static str = "show_app";
    type Answer = ShownApp;

    async fn execute(self, admin: &Admin) -> Result<ShownApp, AdminError> {
        Ok(ShownApp::from_app(&*admin.find_app(&self.app).await?))
    }
}

impl Request for UpdateApp {
    const NAME: &'static str = "update_app";
    const CHANGES: bool = true;
    type Answer = ShownApp;

    #[cfg(feature = "aws")]
    fn uses_defaults(&self) -> bool {
        self.settings.no_code_prefix
    }

    async fn execute(self, admin: &Admin) -> Result<ShownApp, AdminError> {
        let decide = |app| {
            self.seen.check(&describe(&app))?;
            admin.changed(app, self.settings.clone())
        };
        let changed = admin.change_app(&self.app, decide).await?;
        Ok(ShownApp::from_app(&changed))
    }
}

impl Request for DeleteApp {
    const NAME: &'static str = "delete_app";
    const CHANGES: bool = true;
    type Answer = DeletedApp;

    async fn execute(self, admin: &Admin) -> Result<DeletedApp, AdminError> {
        let outcome = admin.store.delete_app(&self.app, admin.clock.now()).await?;
        match outcome {
            DeleteAppOutcome::Deleted => Ok(DeletedApp { app: self.app }),
            DeleteAppOutcome::Unknown => Err(AdminError::UnknownApp(self.app)),
        }
    }
}

impl Admin {
    /// Changes an app with `decide`, and returns the changed app. Calls `decide` again if another administrator
    /// changed the app in the meantime.
    pub(super) async fn change_app(
        &self,
        id: &AppId,
        decide: impl Fn(App) -> Result<App, AdminError>,
    ) -> Result<App, AdminError> {
        match self.store.change_app(id, decide).await? {
            ChangeAppOutcome::Changed(app) => Ok(*app),
            ChangeAppOutcome::Refused(why) => Err(why),
            ChangeAppOutcome::HostRefused(refusal) => Err(refusal.into()),
            ChangeAppOutcome::Unknown => Err(AdminError::UnknownApp(id.clone())),
        }
    }

    pub(super) async fn find_app(&self, id: &AppId) -> Result<Arc<App>, AdminError> {
        let found = self.store.find_app(id).await?;
        found.ok_or_else(|| AdminError::UnknownApp(id.clone()))
    }

    fn changed(&self, mut app: App, given: AppOptions) -> Result<App, AdminError> {
        self.check_link_host(given.login.link_host.as_ref())?;
        given.apply(&mut app, &self.defaults)?;
        app.check_callbacks(&self.callbacks)?;
        app.check_openid()?;
        app.check_web_phone()?;
        Ok(app)
    }

    /// Checks that links to localhost are only used in local mode, and lead to this server.
    fn check_link_host(&self, given: Option<&LinkHost>) -> Result<(), AdminError> {
        let Some(host) = given.filter(|host| host.is_loopback()) else {
            return Ok(());
        };
        if !self.callbacks.allow_loopback_http {
            return Err(AdminError::LoopbackLinkHost);
        }
        match self.link_hosts.first() {
            Some(ours) if !self.link_hosts.contains(host) => Err(AdminError::LinkHostElsewhere {
                given: host.clone(),
                ours: ours.clone(),
            }),
            _ => Ok(()),
        }
    }
}
