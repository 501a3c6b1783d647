//! Creating, showing and changing apps.

mod login;
mod quota;

use countersign_domain::app::api_key::KeyMode;
use countersign_domain::app::login::LoginSettings;
use countersign_domain::app::quota::AppQuotas;
use countersign_domain::app::refused_types::RefusedTypes;
use countersign_domain::app::senders::SenderPool;
use countersign_domain::app::template::MessageTemplate;
use countersign_domain::app::webhook_secrets::SecretsInForce;
use countersign_domain::app::{App, AppKey};
use countersign_domain::primitives::ids::AppId;
use countersign_domain::store::{ChangeAppOutcome, CreateAppOutcome, DeleteAppOutcome};

use super::answer::{AdminAnswer, AppView, ListView, NewAppView};
use super::argument::{Sender, TemplateInLanguage};
use super::command::{AppChange, AppSettings, LoginOptions, NewApp, RemovedSettings};
use super::{Admin, AdminError};

impl Admin {
    pub(super) async fn create_app(&self, new: NewApp) -> Result<AdminAnswer, AdminError> {
        let NewApp { app: id, settings } = new;
        let senders = match (&settings.senders, &self.defaults.senders) {
            (named, _) if !named.is_empty() => pool(named.clone())?,
            (_, defaults) if !defaults.is_empty() => pool(defaults.clone())?,
            _ => return Err(AdminError::NoSender),
        };
        let mut app = App {
            id: id.clone(),
            app_key: AppKey::generate(self.entropy.as_ref()),
            created_at: self.clock.now(),
            default_callback: None,
            callback_origins: Vec::new(),
            template: MessageTemplate::default(),
            templates: std::collections::BTreeMap::new(),
            prefix: self.defaults.prefix.clone(),
            senders,
            whatsapp: None,
            refused_types: RefusedTypes::default(),
            webhook_details: false,
            webhook_secrets: SecretsInForce::default(),
            login: LoginSettings::default(),
            quotas: AppQuotas::default(),
        };
        self.judge_link_host(&settings.login)?;
        set(&mut app, settings)?;
        app.judge_callbacks(&self.callbacks)?;
        let view = AppView::of(&app);
        match self.store.create_app(app).await? {
            CreateAppOutcome::Created => {}
            CreateAppOutcome::NameTaken => return Err(AdminError::NameTaken(id)),
            CreateAppOutcome::NameOfDeleted => return Err(AdminError::NameOfDeleted(id)),
        }
        let key = self.issue_key(&id, KeyMode::Live).await?;
        Ok(AdminAnswer::NewApp(NewAppView { app: view, key }))
    }

    pub(super) async fn list_apps(&self) -> Result<AdminAnswer, AdminError> {
        let (apps, left_out) = self.store.list_apps().await?;
        let views = apps.iter().map(|app| AppView::of(app)).collect();
        Ok(AdminAnswer::Apps(ListView { views, left_out }))
    }

    pub(super) async fn show_app(&self, id: &AppId) -> Result<AdminAnswer, AdminError> {
        let app = self.find_app(id).await?;
        Ok(AdminAnswer::App(AppView::of(&app)))
    }

    pub(super) async fn update_app(&self, change: AppChange) -> Result<AdminAnswer, AdminError> {
        self.judge_link_host(&change.settings.login)?;
        let changed = self.change_app(&change.app, |app| self.changed(app, &change));
        Ok(AdminAnswer::App(AppView::of(&changed.await?)))
    }

    /// Changes an app by a decision, and returns it as it is then. Other administrators may change it meanwhile,
    /// and the decision is then made again.
    pub(super) async fn change_app(
        &self,
        id: &AppId,
        decide: impl Fn(App) -> Result<App, AdminError>,
    ) -> Result<App, AdminError> {
        match self.store.change_app(id, decide).await? {
            ChangeAppOutcome::Changed(app) => Ok(*app),
            ChangeAppOutcome::Refused(why) => Err(why),
            ChangeAppOutcome::Unknown => Err(AdminError::UnknownApp(id.clone())),
        }
    }

    fn changed(&self, mut app: App, change: &AppChange) -> Result<App, AdminError> {
        for origin in &change.removed.removed_origins {
            if !app.login.allows(origin) {
                return Err(AdminError::UnlistedPage(app.id, origin.to_string()));
            }
            app.login.origins.retain(|listed| listed != origin);
        }
        for page in &change.removed.removed_return_pages {
            if !app.login.return_pages.contains(page) {
                return Err(AdminError::UnlistedPage(app.id, page.to_string()));
            }
            app.login.return_pages.retain(|listed| listed != page);
        }
        self.remove(&mut app, &change.removed);
        set(&mut app, change.settings.clone())?;
        app.judge_callbacks(&self.callbacks)?;
        Ok(app)
    }

    pub(super) async fn delete_app(&self, id: &AppId) -> Result<AdminAnswer, AdminError> {
        match self.store.delete_app(id, self.clock.now()).await? {
            DeleteAppOutcome::Deleted => Ok(AdminAnswer::DeletedApp(id.to_string())),
            DeleteAppOutcome::Unknown => Err(AdminError::UnknownApp(id.clone())),
        }
    }

    pub(super) async fn find_app(&self, id: &AppId) -> Result<std::sync::Arc<App>, AdminError> {
        let found = self.store.find_app(id).await?;
        found.ok_or_else(|| AdminError::UnknownApp(id.clone()))
    }

    fn remove(&self, app: &mut App, removed: &RemovedSettings) {
        if removed.no_callback_url {
            app.default_callback = None;
        }
        if removed.no_callback_origins {
            app.callback_origins.clear();
        }
        if removed.no_message_template {
            app.template = MessageTemplate::default();
        }
        if removed.no_message_templates {
            app.templates.clear();
        }
        if removed.no_code_prefix {
            app.prefix = self.defaults.prefix.clone();
        }
        if removed.no_whatsapp {
            app.whatsapp = None;
        }
        if removed.no_refused_number_types {
            app.refused_types = RefusedTypes::default();
        }
        if removed.no_webhook_details {
            app.webhook_details = false;
        }
        if removed.no_link_host {
            app.login.link_host = None;
        }
        if removed.no_origins {
            app.login.origins.clear();
        }
        if removed.no_android {
            app.login.android.clear();
        }
        if removed.no_ios {
            app.login.ios.clear();
        }
        if removed.no_login_callback {
            app.login.callback = None;
        }
    }

    /// Checks that links to this machine are for the person at it, and lead to the server.
    fn judge_link_host(&self, given: &LoginOptions) -> Result<(), AdminError> {
        let Some(host) = given.link_host.as_ref().filter(|host| host.is_loopback()) else {
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

/// Applies the given settings and keeps the others.
fn set(app: &mut App, given: AppSettings) -> Result<(), AdminError> {
    if !given.callback_origins.is_empty() {
        app.callback_origins = each_once(given.callback_origins);
    }
    if !given.senders.is_empty() {
        app.senders = pool(given.senders)?;
    }
    app.default_callback = given.callback_url.or(app.default_callback.take());
    app.whatsapp = given.whatsapp.or(app.whatsapp.take());
    if !given.refused_number_types.is_empty() {
        app.refused_types = given.refused_number_types.into_iter().collect();
    }
    app.webhook_details |= given.webhook_details;
    replace(&mut app.template, given.message_template);
    if !given.message_templates.is_empty() {
        app.templates.clear();
        for TemplateInLanguage { language, template } in given.message_templates {
            if app.templates.insert(language, template).is_some() {
                return Err(AdminError::LanguageTwice(language));
            }
        }
    }
    replace(&mut app.prefix, given.code_prefix);
    login::set(&mut app.login, given.login)?;
    quota::set(&mut app.quotas, &given.quotas);
    Ok(())
}

fn replace<T>(setting: &mut T, given: Option<T>) {
    if let Some(given) = given {
        *setting = given;
    }
}

fn pool(senders: Vec<Sender>) -> Result<SenderPool, AdminError> {
    let numbers = senders.into_iter();
    let numbers = numbers.map(|sender| (sender.country, sender.number));
    Ok(SenderPool::new(numbers)?)
}

/// Drops repeated values and keeps the order.
fn each_once<T: PartialEq>(named: Vec<T>) -> Vec<T> {
    let mut words = Vec::new();
    for word in named {
        if !words.contains(&word) {
            words.push(word);
        }
    }
    words
}
