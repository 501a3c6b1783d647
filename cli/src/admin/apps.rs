//! Creating, showing and changing apps.

mod login;
mod quota;

use countersign_domain::app::quota::AppQuotas;
use countersign_domain::app::senders::SenderPool;
use countersign_domain::app::template::MessageTemplate;
use countersign_domain::app::{App, AppKey};
use countersign_domain::primitives::ids::AppId;
use countersign_domain::store::{CreateAppOutcome, UpdateAppOutcome};
use countersign_domain::web::callback_url::CallbackUrl;

use super::answer::{Answer, AppView, NewAppView};
use super::argument::{Argument, Sender};
use super::command::{AppChange, NewApp};
use super::{Admin, AdminError};

impl Admin {
    pub(super) async fn create_app(&self, new: NewApp) -> Result<Answer, AdminError> {
        let id = new.app.0;
        let senders = match (new.senders, &self.defaults.senders) {
            (named, _) if !named.is_empty() => pool(named)?,
            (_, defaults) if !defaults.is_empty() => pool(defaults.clone())?,
            _ => return Err(AdminError::NoSender),
        };
        let mut quotas = AppQuotas::default();
        quota::change(&mut quotas, &new.quotas.into());
        let app = App {
            id: id.clone(),
            app_key: AppKey::generate(self.entropy.as_ref()),
            created_at: self.clock.now(),
            default_callback: new.callback_url.map(|url| url.0),
            callback_origins: each_once(new.callback_origins),
            template: new
                .message_template
                .map(|template| template.0)
                .unwrap_or_default(),
            prefix: new
                .code_prefix
                .map_or_else(|| self.defaults.prefix.clone(), |prefix| prefix.0),
            senders,
            whatsapp: new.whatsapp.map(|number| number.0),
            login: login::settings(new.login),
            quotas,
        };
        self.judge_callbacks(&app)?;
        let view = AppView::of(&app);
        match self.store.create_app(app).await? {
            CreateAppOutcome::Created => {}
            CreateAppOutcome::NameTaken => return Err(AdminError::NameTaken(id)),
        }
        let key = self.issue_key(&id).await?;
        Ok(Answer::NewApp(NewAppView { app: view, key }))
    }

    pub(super) async fn list_apps(&self) -> Result<Answer, AdminError> {
        let apps = self.store.list_apps().await?;
        Ok(Answer::Apps(
            apps.iter().map(|app| AppView::of(app)).collect(),
        ))
    }

    pub(super) async fn show_app(&self, id: &AppId) -> Result<Answer, AdminError> {
        let app = self.find_app(id).await?;
        Ok(Answer::App(AppView::of(&app)))
    }

    pub(super) async fn update_app(&self, change: AppChange) -> Result<Answer, AdminError> {
        let _alone = self.one_change_at_a_time.lock().await;
        let mut app = App::clone(&*self.find_app(&change.app.0).await?);
        if let Some(url) = change.callback_url {
            app.default_callback = Some(url.0);
        } else if change.no_callback_url {
            app.default_callback = None;
        }
        if change.no_callback_origins || !change.callback_origins.is_empty() {
            app.callback_origins = each_once(change.callback_origins);
        }
        if let Some(template) = change.message_template {
            app.template = template.0;
        } else if change.no_message_template {
            app.template = MessageTemplate::default();
        }
        if let Some(prefix) = change.code_prefix {
            app.prefix = prefix.0;
        } else if change.no_code_prefix {
            app.prefix = self.defaults.prefix.clone();
        }
        if !change.senders.is_empty() {
            app.senders = pool(change.senders)?;
        }
        if let Some(number) = change.whatsapp {
            app.whatsapp = Some(number.0);
        } else if change.no_whatsapp {
            app.whatsapp = None;
        }
        login::change(&mut app.login, change.login);
        quota::change(&mut app.quotas, &change.quotas);
        self.judge_callbacks(&app)?;
        let view = AppView::of(&app);
        match self.store.update_app(app).await? {
            UpdateAppOutcome::Updated => Ok(Answer::App(view)),
            UpdateAppOutcome::Unknown => Err(AdminError::UnknownApp(change.app.0)),
        }
    }

    pub(super) async fn find_app(&self, id: &AppId) -> Result<std::sync::Arc<App>, AdminError> {
        let found = self.store.find_app(id).await?;
        found.ok_or_else(|| AdminError::UnknownApp(id.clone()))
    }

    /// Checks that the deployment allows the app's callbacks and that they agree with each other.
    fn judge_callbacks(&self, app: &App) -> Result<(), AdminError> {
        for origin in &app.callback_origins {
            CallbackUrl::parse(origin.as_str(), &self.callbacks)?;
        }
        for url in [&app.default_callback, &app.login.callback] {
            let Some(url) = url else { continue };
            url.judge(&self.callbacks)?;
            if !app.allows_callback(url) {
                return Err(AdminError::CallbackOutsideOrigins(url.origin()));
            }
        }
        Ok(())
    }
}

fn pool(senders: Vec<Argument<Sender>>) -> Result<SenderPool, AdminError> {
    let numbers = senders
        .into_iter()
        .map(|Argument(sender)| (sender.country, sender.number));
    Ok(SenderPool::new(numbers)?)
}

/// Drops repeated values and keeps the order.
fn each_once<T: PartialEq>(named: Vec<Argument<T>>) -> Vec<T> {
    let mut words = Vec::new();
    for Argument(word) in named {
        if !words.contains(&word) {
            words.push(word);
        }
    }
    words
}
