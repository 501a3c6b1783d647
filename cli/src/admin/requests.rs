//! The list of all requests, which the admin socket, the console and assistants share.

use super::apps::{CreateApp, DeleteApp, ListApps, ShowApp, UpdateApp};
use super::association_keys::{
    AddAssociationKey, ListAssociationKeys, RevokeAssociationKey, RevokeUserKeys,
};
use super::attention::ListAttention;
use super::audit::{ChangeProvider, ListAudit};
use super::client_secrets::{IssueClientSecret, ListClientSecrets, RevokeClientSecret};
use super::confirmations::{
    CancelConfirmation, FindConfirmations, RedactConfirmation, RedeliverFailed, RedeliverWebhook,
    RevealNumber, ShowConfirmation, ShowWebhooks,
};
use super::history::ShowHistory;
use super::keys::{IssueKey, ListKeys, RevokeKey};
use super::link_host::CheckLinkHost;
use super::logins::{CancelLogin, FindLogins, ShowLogin};
use super::master_secret::{ReplaceMasterSecret, RetireMasterSecret};
use super::openid_keys::{ListOpenIdKeys, RotateOpenIdKey};
use super::phone_registrations::{
    CancelPhoneRegistration, ListPhoneRegistrations, ShowPhoneRegistration,
};
use super::problems::ShowProblem;
use super::providers::{ListProviders, ShowProvider, TestProvider};
use super::readings::RecordReading;
use super::redactions::{ListRedactions, RepeatRedactions};
use super::request::{Reading, Request};
use super::running::{
    ExportMetrics, RereadPlaces, RereadProviders, ShowMetrics, ShowServer, TestWebhook,
};
use super::signing_keys::{ListSigningKeys, RotateSigningKey};
use super::system::ShowSystem;
use super::texts::ExplainText;
use super::webhook_secrets::{RetireWebhookSecret, RotateWebhookSecret, ShowWebhookSecret};

/// Takes each type of request in turn.
pub(crate) trait Visitor {
    fn visit<R: Request>(&mut self);

    /// Takes a request that assistants may send.
    fn visit_reading<R: Reading>(&mut self) {
        self.visit::<R>();
    }
}

/// Shows a visitor every type of request: with `visit_reading` if the console offers it to readers
/// and it does not reach out.
pub(crate) fn visit_all<V: Visitor>(visitor: &mut V) {
    let visits: [fn(&mut V); _] = [
        V::visit::<CreateApp>,
        V::visit_reading::<ListApps>,
        V::visit_reading::<ShowApp>,
        V::visit::<UpdateApp>,
        V::visit::<DeleteApp>,
        V::visit::<IssueKey>,
        V::visit_reading::<ListKeys>,
        V::visit::<RevokeKey>,
        V::visit::<IssueClientSecret>,
        V::visit_reading::<ListClientSecrets>,
        V::visit::<RevokeClientSecret>,
        V::visit::<AddAssociationKey>,
        V::visit_reading::<ListAssociationKeys>,
        V::visit::<RevokeAssociationKey>,
        V::visit::<RevokeUserKeys>,
        V::visit_reading::<ListPhoneRegistrations>,
        V::visit_reading::<ShowPhoneRegistration>,
        V::visit::<CancelPhoneRegistration>,
        V::visit_reading::<ListSigningKeys>,
        V::visit::<RotateSigningKey>,
        V::visit_reading::<ListOpenIdKeys>,
        V::visit::<RotateOpenIdKey>,
        V::visit::<ChangeProvider>,
        V::visit::<CheckLinkHost>,
        V::visit_reading::<ListProviders>,
        V::visit_reading::<ShowProvider>,
        V::visit::<TestProvider>,
        V::visit_reading::<ListAudit>,
        V::visit_reading::<FindConfirmations>,
        V::visit_reading::<ShowConfirmation>,
        V::visit::<RevealNumber>,
        V::visit::<RedeliverWebhook>,
        V::visit::<RedeliverFailed>,
        V::visit_reading::<ShowWebhooks>,
        V::visit::<CancelConfirmation>,
        V::visit::<RedactConfirmation>,
        V::visit_reading::<FindLogins>,
        V::visit_reading::<ShowLogin>,
        V::visit::<CancelLogin>,
        V::visit_reading::<ShowHistory>,
        V::visit_reading::<ListAttention>,
        V::visit_reading::<ShowSystem>,
        V::visit_reading::<ListRedactions>,
        V::visit::<RepeatRedactions>,
        V::visit::<ShowWebhookSecret>,
        V::visit::<RotateWebhookSecret>,
        V::visit::<RetireWebhookSecret>,
        V::visit::<ReplaceMasterSecret>,
        V::visit::<RetireMasterSecret>,
        V::visit::<TestWebhook>,
        V::visit_reading::<ShowMetrics>,
        V::visit::<ExportMetrics>,
        V::visit_reading::<ShowServer>,
        V::visit::<RereadProviders>,
        V::visit::<RereadPlaces>,
        V::visit::<ExplainText>,
        V::visit::<RecordReading>,
        V::visit_reading::<ShowProblem>,
    ];
    for visit in visits {
        visit(visitor);
    }
}
