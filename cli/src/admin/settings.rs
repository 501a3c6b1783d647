//! The settings of an app, as options of `app create` and `app update` and as members of its JSON.
//!
//! The domain's [`App`] contains them, and is also their stored format. An option named `no_…` removes a
//! setting; only `app update` accepts it.

mod login;
mod openid;
mod quotas;

use clap::{Arg, Args};
use countersign_domain::app::App;
use countersign_domain::app::code::CodePrefix;
use countersign_domain::app::refused_types::RefusableType;
use countersign_domain::app::senders::SenderPool;
use countersign_domain::app::template::MessageTemplate;
use countersign_domain::app::whatsapp::WhatsAppNumber;
use countersign_domain::web::callback_url::{CallbackOrigin, CallbackUrl};
use serde::{Deserialize, Serialize};

use super::argument::{Sender, TemplateInLanguage, callback_origin, callback_url, whatsapp_number};
use super::{AdminError, Defaults};
use crate::print::Tree;
use login::LoginOptions;
use openid::OpenIdOptions;
use quotas::QuotaOptions;

/// The help heading of the options that remove settings.
const REMOVING: &str = "Removing settings";

/// Makes a subcommand reject the options that remove settings, because a new app has none.
pub(crate) fn only_set(arg: Arg) -> Arg {
    if arg.get_help_heading() == Some(REMOVING) {
        arg.hide(true).conflicts_with("app")
    } else {
        arg
    }
}

/// Settings of an app. Omitted settings keep their values.
#[derive(Clone, Debug, Default, Args, Serialize, Deserialize)]
#[group(skip)]
#[serde(default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a separate flag on the command line"
)]
pub(crate) struct AppOptions {
    /// The URL for webhooks when a request has no callbackUrl
    #[arg(long, value_name = "URL", value_parser = callback_url)]
    callback_url: Option<CallbackUrl>,
    /// Require a callbackUrl in every request
    #[arg(long, conflicts_with = "callback_url", help_heading = REMOVING)]
    no_callback_url: bool,
    /// Allow callbacks to this origin only; may be repeated; replaces all current origins
    #[arg(long = "callback-origin", value_name = "ORIGIN", value_parser = callback_origin)]
    callback_origins: Vec<CallbackOrigin>,
    /// Allow callbacks to any public origin
    #[arg(long, conflicts_with = "callback_origins", help_heading = REMOVING)]
    no_callback_origins: bool,
    /// The message that users send, with {code} in place of the code
    #[arg(long, value_name = "TEMPLATE")]
    message_template: Option<MessageTemplate>,
    /// Use the bare code as the message
    #[arg(long, conflicts_with = "message_template", help_heading = REMOVING)]
    no_message_template: bool,
    /// The message for requests in this language; may be repeated; replaces all current ones
    #[arg(long = "message-template-in", value_name = "LANGUAGE=TEMPLATE")]
    message_templates: Vec<TemplateInLanguage>,
    /// Use one message for all languages
    #[arg(long, conflicts_with = "message_templates", help_heading = REMOVING)]
    no_message_templates: bool,
    /// The two to eight letters that codes begin with
    #[arg(long, value_name = "LETTERS")]
    code_prefix: Option<CodePrefix>,
    /// Use the default prefix CS for codes
    #[arg(long, conflicts_with = "code_prefix", help_heading = REMOVING)]
    pub(super) no_code_prefix: bool,
    /// A number that receives texts: +NUMBER for every country, CC=+NUMBER for senders from one
    /// country; may be repeated; replaces all current numbers
    #[arg(long = "sender", value_name = "[CC=]+NUMBER")]
    pub(crate) senders: Vec<Sender>,
    /// The WhatsApp number that also receives texts; a text from WhatsApp proves an account, not a SIM
    #[arg(long, value_name = "+NUMBER", value_parser = whatsapp_number)]
    whatsapp: Option<WhatsAppNumber>,
    /// Accept no texts from WhatsApp for new confirmations
    #[arg(long, conflicts_with = "whatsapp", help_heading = REMOVING)]
    no_whatsapp: bool,
    /// Refuse numbers of this type: premium-rate, toll-free, shared-cost, voip, personal, pager, uan,
    /// voicemail or fixed-line; may be repeated; replaces all current types
    #[arg(long = "refuse-number-type", value_name = "TYPE")]
    refused_number_types: Vec<RefusableType>,
    /// Accept numbers of every type
    #[arg(long, conflicts_with = "refused_number_types", help_heading = REMOVING)]
    no_refused_number_types: bool,
    /// Include in webhooks the channel of the text and the type of the number
    #[arg(long)]
    webhook_details: bool,
    /// Keep webhooks to the fields of the specification
    #[arg(long, conflicts_with = "webhook_details", help_heading = REMOVING)]
    no_webhook_details: bool,
    #[command(flatten)]
    pub(super) login: LoginOptions,
    #[command(flatten)]
    openid: OpenIdOptions,
    #[command(flatten)]
    quotas: QuotaOptions,
}

impl AppOptions {
    /// Returns whether the deployment's defaults would provide any setting of a new app.
    #[cfg(feature = "aws")]
    pub(super) fn leave_to_defaults(&self) -> bool {
        self.senders.is_empty() || self.code_prefix.is_none()
    }

    /// Sets the given settings and removes those to remove.
    pub(super) fn apply(self, app: &mut App, defaults: &Defaults) -> Result<(), AdminError> {
        let url = self.callback_url.map(Some);
        set(&mut app.default_callback, url, self.no_callback_url);
        let origins = given(self.callback_origins);
        set(&mut app.callback_origins, origins, self.no_callback_origins);
        set(
            &mut app.template,
            self.message_template,
            self.no_message_template,
        );
        if self.no_message_templates || !self.message_templates.is_empty() {
            app.templates.clear();
        }
        for TemplateInLanguage { language, template } in self.message_templates {
            if app.templates.insert(language, template).is_some() {
                return Err(AdminError::LanguageTwice(language));
            }
        }
        let default = self.no_code_prefix.then(|| defaults.prefix.clone());
        replace(&mut app.prefix, self.code_prefix.or(default));
        if let Some(senders) = given(self.senders) {
            app.senders = pool(senders)?;
        }
        set(&mut app.whatsapp, self.whatsapp.map(Some), self.no_whatsapp);
        let types = given(self.refused_number_types).map(|types| types.into_iter().collect());
        set(&mut app.refused_types, types, self.no_refused_number_types);
        let details = self.webhook_details.then_some(true);
        set(&mut app.webhook_details, details, self.no_webhook_details);
        self.login.apply(app)?;
        self.openid.apply(app)?;
        self.quotas.apply(&mut app.quotas);
        Ok(())
    }
}

/// Returns an app as `--json` prints it.
pub(super) fn describe(app: &App) -> Tree {
    let senders = app.senders.numbers().map(|(country, number)| Sender {
        country,
        number: number.clone(),
    });
    Tree::members([
        ("app", Tree::from_value(&app.id)),
        ("appKey", Tree::from_value(&app.app_key)),
        ("createdAt", Tree::from_value(&app.created_at.to_string())),
        ("callbackUrl", Tree::from_value(&app.default_callback)),
        ("callbackOrigins", Tree::from_value(&app.callback_origins)),
        ("messageTemplate", Tree::from_value(&app.template)),
        ("messageTemplates", Tree::from_value(&app.templates)),
        ("codePrefix", Tree::from_value(&app.prefix)),
        ("senders", Tree::from_value(&senders.collect::<Vec<_>>())),
        ("whatsapp", Tree::from_value(&app.whatsapp)),
        ("refusedNumberTypes", Tree::from_value(&app.refused_types)),
        ("webhookDetails", Tree::from_value(&app.webhook_details)),
        (
            "webhookSecrets",
            Tree::from_value(&app.webhook_secrets.count()),
        ),
        ("login", login::describe(&app.login)),
        ("openid", openid::describe(&app.openid)),
        ("quotas", quotas::describe(&app.quotas)),
    ])
}

/// Sets the given value, or resets the setting to its default if `removed`.
fn set<T: Default>(setting: &mut T, given: Option<T>, removed: bool) {
    replace(setting, given.or_else(|| removed.then(T::default)));
}

fn replace<T>(setting: &mut T, given: Option<T>) {
    if let Some(given) = given {
        *setting = given;
    }
}

/// Returns the values of a repeated option without duplicates, in their order; `None` if the option is
/// absent.
fn given<T: PartialEq>(values: Vec<T>) -> Option<Vec<T>> {
    (!values.is_empty()).then(|| each_once(values))
}

fn each_once<T: PartialEq>(values: Vec<T>) -> Vec<T> {
    let mut distinct = Vec::new();
    for value in values {
        if !distinct.contains(&value) {
            distinct.push(value);
        }
    }
    distinct
}

pub(super) fn pool(senders: Vec<Sender>) -> Result<SenderPool, AdminError> {
    let numbers = senders.into_iter();
    let numbers = numbers.map(|sender| (sender.country, sender.number));
    Ok(SenderPool::new(numbers)?)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use clap::{Command, Parser as _};
    use countersign_domain::app::AppKey;
    use countersign_domain::primitives::time::Timestamp;

    use super::*;
    use crate::args::{AppCommand, Cli, Subcommand};

    fn updated(app: &App, options: &str) -> App {
        let line = format!("countersign app update shop {options}");
        let command = Cli::try_parse_from(line.split(' ')).unwrap().command;
        let Subcommand::App(args) = command else {
            panic!("{line}")
        };
        let AppCommand::Update(request) = args.command else {
            panic!("{line}")
        };
        let mut app = app.clone();
        let applied = request.settings.apply(&mut app, &Defaults::default());
        applied.unwrap();
        app
    }

    /// Checks that each option of a group changes the JSON, and that the options in the second column undo the
    /// change. A tab separates the columns.
    pub(super) fn check_options(options: &BTreeSet<String>, lines: &[&str]) {
        let pool = pool(vec!["+12025550199".parse().unwrap()]).unwrap();
        let key = "cs_app_0000000000000000000001".parse::<AppKey>().unwrap();
        let id = "shop".parse().unwrap();
        let plain = App::new(id, key, Timestamp::from_millis(0), pool);
        for line in lines {
            let (set, unset) = line.split_once('\t').unwrap_or((line, ""));
            let app = updated(&plain, set);
            assert!(describe(&app) != describe(&plain), "{set} does not show");
            if !unset.is_empty() {
                assert_eq!(updated(&app, unset), plain, "{unset}");
            }
        }
        let words = lines.iter().flat_map(|line| line.split([' ', '\t']));
        let checked = words.filter_map(|word| word.strip_prefix("--"));
        assert_eq!(
            checked.map(str::to_owned).collect::<BTreeSet<_>>(),
            *options
        );
    }

    /// Returns the names of a group's options.
    pub(super) fn options_of<A: Args>() -> BTreeSet<String> {
        let command = A::augment_args(Command::new("update"));
        let names = command.get_arguments().filter_map(Arg::get_long);
        names.map(str::to_owned).collect()
    }

    /// Returns the names of the options that belong to no group.
    fn own_options() -> BTreeSet<String> {
        let logins = &options_of::<LoginOptions>() | &options_of::<OpenIdOptions>();
        let grouped = &logins | &options_of::<QuotaOptions>();
        &options_of::<AppOptions>() - &grouped
    }

    #[test]
    fn each_option_is_applied_and_shown() {
        check_options(
            &own_options(),
            &[
                "--callback-url https://a.example/x\t--no-callback-url",
                "--callback-origin https://a.example\t--no-callback-origins",
                "--message-template Shop:{code}\t--no-message-template",
                "--message-template-in de=Laden:{code}\t--no-message-templates",
                "--code-prefix SHOP\t--no-code-prefix",
                "--sender 12345",
                "--whatsapp +12025550177\t--no-whatsapp",
                "--refuse-number-type toll-free\t--no-refused-number-types",
                "--webhook-details\t--no-webhook-details",
            ],
        );
    }
}
