//! The webhooks, for the API description. The dispatcher sends them, not this crate.

pub(crate) mod confirmation;
mod headers;
pub(crate) mod login;
pub(crate) mod phone;

use utoipa::Path;
use utoipa::openapi::path::{PathItem, Paths, PathsBuilder};

/// Returns the description of every webhook.
pub(crate) fn all() -> Paths {
    let webhooks = add::<confirmation::Webhook>(PathsBuilder::new());
    let webhooks = add::<login::Webhook>(webhooks);
    add::<phone::Webhook>(webhooks).build()
}

fn add<W: Path>(mut webhooks: PathsBuilder) -> PathsBuilder {
    for method in W::methods() {
        webhooks = webhooks.path(W::path(), PathItem::new(method, W::operation()));
    }
    webhooks
}
