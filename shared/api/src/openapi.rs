//! The API description (`OpenAPI` 3.1), assembled from the declarations of the routes.

mod common;

use std::sync::LazyLock;

use countersign_domain::confirmation::webhook::ConfirmationBody;
use countersign_domain::login::{LoginBody, PhoneRegisteredBody};
use utoipa::OpenApi as _;
use utoipa::openapi::OpenApi;
use utoipa::openapi::path::PathItem;

use crate::problem::ProblemBody;
use crate::routes::{
    app_links, association_keys, inbound_sms, logins, phone_numbers, phone_registrations,
    reference, well_known, widget,
};
use crate::{socket, webhooks};

#[derive(utoipa::OpenApi)]
#[openapi(
    info(
        title = "Countersign",
        description = "Verifies that a person holds a phone number: the person sends a text with a \
            secret code, and a signed webhook tells you. Also lets people log in to a web page with \
            their phone: the page shows a QR code, and the app that opens it confirms or denies.\n\n\
            Errors are problems (RFC 9457) with a stable `code`. The API has one version and no \
            version in its paths. Unknown fields in requests are ignored, and new fields may be added \
            to answers; a change that would break callers gets a new path.",
        license(name = "Apache-2.0", identifier = "Apache-2.0"),
    ),
    servers((url = "/", description = "This deployment.")),
    tags(
        (name = "confirmations", description = "Phone numbers, confirmed by text message."),
        (name = "texts", description = "Text messages that arrive."),
        (name = "logins", description = "Logins by QR code or app link."),
        (name = "association keys", description = "Keys with which phones prove who confirmed a login."),
        (name = "phone registrations", description = "Setting up the web authenticator as a user's phone."),
        (name = "links", description = "Public files for browsers and phones."),
        (name = "service", description = "Keys, this description, and the server's health."),
        (name = "webhooks", description = "Requests that you receive."),
    ),
    paths(
        phone_numbers::acquire::acquire,
        phone_numbers::confirm::confirm,
        phone_numbers::list::list,
        phone_numbers::show::show,
        phone_numbers::status::show,
        phone_numbers::cancel::cancel,
        phone_numbers::redact::redact,
        phone_numbers::redeliver::redeliver,
        phone_numbers::simulate::simulate,
        inbound_sms::receive_generic,
        inbound_sms::provider::receive,
        inbound_sms::provider::check_address,
        logins::create::create,
        logins::list::list,
        logins::show::show,
        logins::cancel::cancel,
        logins::redeem::redeem,
        logins::initiate::initiate,
        logins::confirm::confirm,
        logins::deny::deny,
        logins::check_code::check_code,
        logins::expire::expire,
        socket::open,
        association_keys::register::register,
        association_keys::list::list,
        association_keys::revoke::revoke,
        phone_registrations::create::create,
        phone_registrations::show::show,
        phone_registrations::cancel::cancel,
        phone_registrations::open::open,
        phone_registrations::sign::sign,
        phone_registrations::digits::check_digits,
        phone_registrations::identify::identify,
        app_links::asset_links,
        app_links::site_association,
        widget::widget,
        reference::reference,
        well_known::public_key,
        well_known::jwks,
        well_known::show_description,
        well_known::problem,
        well_known::health,
    ),
    components(schemas(
        ProblemBody,
        inbound_sms::provider::ProviderName,
        ConfirmationBody,
        LoginBody,
        PhoneRegisteredBody,
    )),
)]
struct Description;

/// Assembles the description.
#[must_use]
pub fn openapi() -> OpenApi {
    let mut description = Description::openapi();
    let components = description.components.get_or_insert_default();
    for item in description.paths.paths.values_mut() {
        let PathItem {
            get, post, delete, ..
        } = item;
        for operation in [get, post, delete].into_iter().flatten() {
            common::add_headers(operation);
            common::allow_empty_body(operation, components);
            // Without a value, generators would look for a default.
            operation.security.get_or_insert_default();
        }
    }
    common::add_security(components);
    common::add_examples(components);
    description.webhooks = Some(webhooks::all());
    description
}

/// Returns the description as in `GET /openapi.json` and `docs/openapi.json`: indented, with a
/// final newline.
#[must_use]
pub fn json() -> &'static str {
    static JSON: LazyLock<String> = LazyLock::new(|| {
        let mut text = serde_json::to_string_pretty(&openapi()).unwrap_or_default();
        text.push('\n');
        text
    });
    &JSON
}
