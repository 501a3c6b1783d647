//! Advice for the terminal about an app that was created or is shown.

use crate::admin::apps::ShownApp;
use crate::print::Tree;

/// Returns whether the app's logins require check codes.
pub(super) fn has_check_codes(app: &ShownApp) -> bool {
    app.login("checkCode").and_then(Tree::as_bool) == Some(true)
}

/// Returns advice on the check codes of an app's logins. `program` begins a command line for the same target.
pub(super) fn check_codes(app: &ShownApp, program: &str) -> String {
    if has_check_codes(app) {
        return "\nCheck codes are on: logins need the two digits that the phone shows.".to_owned();
    }
    let name = app.name().unwrap_or("APP");
    format!(
        "\nCheck codes are off. We recommend them: two digits, which the phone shows and the person types in\n\
         the browser, stop codes that a stranger printed or posted. The element has a field for them:\n\n  \
         {program} app update {name} --check-code on"
    )
}
