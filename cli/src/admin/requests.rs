//! The list of all requests, which the admin socket and the console share.

use super::apps::{CreateApp, DeleteApp, ListApps, ShowApp, UpdateApp};
use super::association_keys::{AddAssociationKey, ListAssociationKeys, RevokeAssociationKey};
use super::audit::{ChangeProvider, ListAudit};
use super::confirmations::{
    CancelConfirmation, FindConfirmations, RedactConfirmation, RedeliverWebhook, RevealNumber,
    ShowConfirmation,
};
use super::keys::{IssueKey, ListKeys, RevokeKey};
use super::logins::{FindLogins, ShowLogin};
use super::master_secret::{ReplaceMasterSecret, RetireMasterSecret};
use super::redactions::{ListRedactions, RepeatRedactions};
use super::request::Request;
use super::running::{
    ExportMetrics, RereadPlaces, RereadProviders, ShowMetrics, ShowServer, TestWebhook,
};
use super::signing_keys::{ListSigningKeys, RotateSigningKey};
use super::texts::ExplainText;
use super::webhook_secrets::{RetireWebhookSecret, RotateWebhookSecret, ShowWebhookSecret};

/// Takes each type of request in turn.
pub(crate) trait Visitor {
    fn visit<R: Request>(&mut self);
}

/// Shows a visitor every type of request.
pub(crate) fn visit_all<V: Visitor>(visitor: &mut V) {
    let visits: [fn(&mut V); _] = [
        V::visit::<CreateApp>,
        V::visit::<ListApps>,
        V::visit::<ShowApp>,
        V::visit::<UpdateApp>,
        V::visit::<DeleteApp>,
        V::visit::<IssueKey>,
        V::visit::<ListKeys>,
        V::visit::<RevokeKey>,
        V::visit::<AddAssociationKey>,
        V::visit::<ListAssociationKeys>,
        V::visit::<RevokeAssociationKey>,
        V::visit::<ListSigningKeys>,
        V::visit::<RotateSigningKey>,
        V::visit::<ChangeProvider>,
        V::visit::<ListAudit>,
        V::visit::<FindConfirmations>,
        V::visit::<ShowConfirmation>,
        V::visit::<RevealNumber>,
        V::visit::<RedeliverWebhook>,
        V::visit::<CancelConfirmation>,
        V::visit::<RedactConfirmation>,
        V::visit::<FindLogins>,
        V::visit::<ShowLogin>,
        V::visit::<ListRedactions>,
        V::visit::<RepeatRedactions>,
        V::visit::<ShowWebhookSecret>,
        V::visit::<RotateWebhookSecret>,
        V::visit::<RetireWebhookSecret>,
        V::visit::<ReplaceMasterSecret>,
        V::visit::<RetireMasterSecret>,
        V::visit::<TestWebhook>,
        V::visit::<ShowMetrics>,
        V::visit::<ExportMetrics>,
        V::visit::<ShowServer>,
        V::visit::<RereadProviders>,
        V::visit::<RereadPlaces>,
        V::visit::<ExplainText>,
    ];
    for visit in visits {
        visit(visitor);
    }
}
