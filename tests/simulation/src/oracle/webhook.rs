//! Checks of the webhooks that receivers get.

use countersign_domain::confirmation::{Confirmation, Redactable};
use countersign_domain::primitives::ids::ConfirmationId;
use countersign_domain::primitives::time::Timestamp;
use sha2::{Digest as _, Sha256};

use super::{Oracle, Promise};
use crate::wire::{Arrived, fake_signature};

impl Oracle {
    /// Checks a webhook that reached its receiver.
    pub(crate) fn posted(&mut self, arrived: &Arrived, now: Timestamp) {
        let request = &arrived.request;
        let webhook_id = request.webhook_id.as_str();
        let digits = webhook_id.strip_prefix("msg_").unwrap_or_default();
        let Ok(id) = format!("cfm_{digits}").parse::<ConfirmationId>() else {
            return self.broken(Promise::OneIdOneBody, format!("unknown id: {webhook_id}"));
        };
        let case = self.case(id);
        if std::mem::replace(&mut case.heard, arrived.heard) {
            self.broken(Promise::NotAgain, format!("{id}: accepted before"));
        }
        let case = self.case(id);
        case.posted += 1;
        case.accepted += u32::from(arrived.accepted);
        let (posted, item, told) = (case.posted, case.item.clone(), case.told.clone());
        let claimed = item.as_ref().and_then(Confirmation::verified);
        let claimed = claimed.map_or(0, |verified| verified.delivery.attempts_claimed);
        if posted > claimed {
            let what = format!("{id}: {posted} posted, {claimed} claimed");
            self.broken(Promise::PostedIfClaimed, what);
        }
        let expected = item.as_ref().and_then(expected_body);
        // A slow dispatcher may send a body whose data has been erased since, so the expected body is
        // unknown.
        if let Some(expected) = expected
            && *expected != *request.body
        {
            let what = format!("{id}: {} instead of {expected}", request.body);
            self.broken(Promise::OneIdOneBody, what);
        }
        if told.is_some_and(|told| told.asked.callback != arrived.url) {
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

/// Returns the body that a confirmation's webhook must have, spelled out member by member.
fn expected_body(item: &Confirmation) -> Option<String> {
    let verified = item.verified()?;
    let (Redactable::Present(number), Redactable::Present(metadata)) =
        (&verified.phone_number, &item.metadata)
    else {
        return None;
    };
    Some(format!(
        r#"{{"carrier":"{}","confirmationId":"{}","metadata":{},"phoneNumber":"{}","timestamp":"{}","validationStatus":"valid"}}"#,
        verified.carrier,
        item.id,
        metadata.as_str(),
        number.as_str(),
        verified.at,
    ))
}
