//! What needs an operator's attention, each with the step that ends it.
//!
//! Everything is derived from present data with bounded reads, so that an item disappears with its cause.

mod providers;
mod quotas;
mod receivers;
mod rotations;
mod store;
mod web_phone;

use std::fmt::Display;
use std::sync::Arc;

use clap::Args;
use countersign_domain::app::App;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::request::{Item, List, Request};
use super::sentence::{Values, values};
use super::{Admin, AdminError};
use crate::schema::{OurObject, Ours};

/// Largest number of apps that are looked at one by one.
const MAX_APPS: usize = 500;

/// Lists what needs an operator's attention, each with the step that ends it.
#[derive(Clone, Debug, Args, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ListAttention {}

/// Something that needs attention.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Attention {
    /// A stable name.
    #[schemars(with = "Ours")]
    pub(super) kind: String,
    /// A sentence without a full stop.
    pub(super) title: String,
    pub(super) detail: String,
    /// A command, or a sentence about what to do.
    #[schemars(with = "Ours")]
    pub(super) step: String,
    /// The values in title, detail and step.
    #[schemars(with = "OurObject")]
    #[serde(default)]
    pub(super) values: Values,
}

impl Attention {
    fn new(
        kind: &str,
        title: impl Into<String>,
        detail: impl Into<String>,
        step: impl Into<String>,
    ) -> Self {
        Self {
            kind: kind.to_owned(),
            title: title.into(),
            detail: detail.into(),
            step: step.into(),
            values: Values::new(),
        }
    }

    fn with<const N: usize>(self, given: [(&str, &dyn Display); N]) -> Self {
        Self {
            values: values(given),
            ..self
        }
    }
}

impl Item for Attention {
    const EMPTY: &'static str = "Nothing needs attention";
    const COLUMNS: &'static [&'static str] = &["kind", "title", "step"];
    const IS_TROUBLE: bool = true;
}

impl Request for ListAttention {
    const NAME: &'static str = "list_attention";
    #[cfg(feature = "aws")]
    const IS_COSTLY: bool = true;
    type Answer = List<Attention>;

    async fn execute(self, admin: &Admin) -> Result<List<Attention>, AdminError> {
        let (apps, unreadable) = admin.store.list_apps().await?;
        let apps: Vec<&App> = apps.iter().take(MAX_APPS).map(Arc::as_ref).collect();
        let mut items = store::look(admin, unreadable).await?;
        items.extend(receivers::look(admin, &apps).await?);
        items.extend(providers::look(admin).await);
        items.extend(rotations::look(admin, &apps).await);
        items.extend(web_phone::look(&apps));
        items.extend(quotas::look(admin, &apps).await?);
        Ok(List {
            items,
            left_out: unreadable,
        })
    }
}
