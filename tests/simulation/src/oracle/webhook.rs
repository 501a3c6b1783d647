//! Checks of the webhooks that receivers get.

use countersign_domain::confirmation::{Confirmation, Redactable};
use countersign_domain::delivery::DeliverySubject;
use countersign_domain::primitives::ids::{ConfirmationId, LoginId};
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::web::callback_url::CallbackUrl;
use sha2::{Digest as _, Sha256};

use super::{Oracle, Promise};
use crate::wire::{Arrived, fake_signature};

impl Oracle {
    /// Checks a webhook that reached its receiver.
    pub(crate) fn posted(&mut self, arrived: &Arrived, now: Timestamp) {
        let request = &arrived.request;
        let webhook_id = request.webhook_id.as_str();
        let digits = webhook_id.strip_prefix("msg_").unwrap_or_default();
        let Some(expected) = self.expected(digits) else {
            return self.broken(Promise::OneIdOneBody, format!("unknown id: {webhook_id}"));
        };
        let id = expected.subject;
        let posts = self.posts(id);
        let heard = std::mem::replace(&mut posts.heard, arrived.heard);
        posts.posted += 1;
        posts.accepted += u32::from(arrived.accepted);
        let (posted, claimed) = (posts.posted, posts.claimed);
        if heard {
            self.broken(Promise::NotAgain, format!("{id}: accepted before"));
        }
        if posted > claimed {
            let what = format!("{id}: {posted} posted, {claimed} claimed");
            self.broken(Promise::PostedIfClaimed, what);
        }
        if let Some(expected) = expected.body
            && *expected != *request.body
        {
            let what = format!("{id}: {} instead of {expected}", request.body);
            self.broken(Promise::OneIdOneBody, what);
        }
        if expected.url.is_some_and(|url| url != arrived.url) {
            self.broken(Promise::OneIdOneBody, format!("{id}: to {:?}", arrived.url));
        }
        let digest: [u8; 32] = Sha256::digest(request.body.as_bytes()).into();
        let signature = &request.signature;
        if !self.keys.knows(&signature.key_id, now)
            || signature.der != fake_signature(&signature.key_id, &digest)
        {
            self.broken(Promise::Signed, format!("{id}: {signature:?}"));
        }
    }
}

impl Oracle {
    /// Records that a receiver answered a webhook in a way that makes retries pointless.
    pub(crate) fn refused_for_good(&mut self, webhook_id: &str) {
        let digits = webhook_id.strip_prefix("msg_").unwrap_or_default();
        if let Some(expected) = self.expected(digits) {
            self.posts(expected.subject).refused_for_good = true;
        }
    }
}

/// The expected properties of a webhook.
struct Expected {
    subject: DeliverySubject,
    /// The body. `None` if it is unknown, because a slow dispatcher may send a body whose data has
    /// been erased since.
    body: Option<String>,
    /// The URL, if a caller got an answer about the item.
    url: Option<CallbackUrl>,
}

impl Oracle {
    /// Returns the expectations for the webhook with these digits in its id, or `None` if the id is
    /// unknown.
    fn expected(&self, digits: &str) -> Option<Expected> {
        let kinds = ["qrs_", "qrp_"].into_iter();
        let mut ids = kinds.filter_map(|kind| format!("{kind}{digits}").parse::<LoginId>().ok());
        if let Some(id) = ids.find(|id| self.logins.contains_key(id)) {
            let (body, url) = self.logins.get(&id)?.notice()?;
            return Some(Expected {
                subject: id.into(),
                body: Some(body),
                url: Some(url),
            });
        }
        let id = format!("cfm_{digits}").parse::<ConfirmationId>().ok()?;
        let case = self.cases.get(&id);
        let told = case.and_then(|case| case.told.as_ref());
        Some(Expected {
            subject: id.into(),
            body: case.and_then(|case| expected_body(case.item.as_ref()?)),
            url: told.map(|told| told.asked.callback.clone()),
        })
    }
}

/// Returns the body that a confirmation's webhook must have, written out member by member.
fn expected_body(item: &Confirmation) -> Option<String> {
    let verified = item.verified()?;
    let (Redactable::Present(number), Redactable::Present(metadata)) =
        (&verified.phone_number, &item.metadata)
    else {
        return None;
    };
    Some(format!(
        r#"{{"carrier":"{}","confirmationId":"{}","metadata":{},"phoneNumber":"{}","timestamp":"{}","validationStatus":"valid"}}"#,
        verified.carrier.name(),
        item.id,
        metadata.as_str(),
        number.as_str(),
        verified.at,
    ))
}
