//! Advice about an app that was created or is shown, for the person at the terminal.

use crate::admin::answer::{AdminAnswer, AppView};
use crate::admin::command::Command;

/// The commands that are followed by advice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Advised {
    Create,
    Show,
}

impl Advised {
    /// Returns whether advice follows a command.
    pub(super) const fn of(command: &Command) -> Option<Self> {
        match command {
            Command::CreateApp(_) => Some(Self::Create),
            Command::ShowApp(_) => Some(Self::Show),
            _ => None,
        }
    }
}

/// Returns the app that an answer is about.
pub(super) const fn app(answer: &AdminAnswer) -> Option<&AppView> {
    match answer {
        AdminAnswer::NewApp(new) => Some(&new.app),
        AdminAnswer::App(app) => Some(app),
        _ => None,
    }
}

/// Returns what to know about the check codes of an app's logins. `program` begins a command line for the same
/// target.
pub(super) fn check_codes(app: &AppView, program: &str) -> String {
    let name = &app.app;
    if app.login.check_code {
        return "\nCheck codes are on: logins need the two digits that the phone shows.".to_owned();
    }
    format!(
        "\nCheck codes are off. We recommend them: two digits, which the phone shows and the person types in\n\
         the browser, stop codes that a stranger printed or posted. The element has a field for them:\n\n  \
         {program} app update {name} --check-code on"
    )
}
