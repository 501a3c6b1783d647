//! The random operations reach every answer, so they compare successes as well as refusals.

use std::collections::BTreeSet;

use super::*;

/// Returns the name of the answer, without its data.
fn kind(got: &Got) -> String {
    let text = format!("{got:?}");
    // The debug text up to the data: the outcome's name, with its status if it has one.
    match got {
        Got::Find(found) => format!("Find({})", found.is_some()),
        Got::Redeem(RedeemOutcome::Redeemed { .. }) => "Redeem(Redeemed)".to_owned(),
        _ => match text.find("Login {").or_else(|| text.find(" {")) {
            Some(end) => text[..end].to_owned(),
            None => text,
        },
    }
}

#[tokio::test]
async fn every_answer_is_reached() -> Checked {
    let mut seen = BTreeSet::new();
    for seed in 1..=64 {
        let model = Arc::new(ModelStore::default());
        let stores = model.stores();
        let model = model.logins();
        let mut chance = Chance::of(seed);
        let mut now = NOW;
        for _ in 0..STEPS {
            now = next_time(&mut chance, model, now);
            let operation = draw(&mut chance, model, now)?;
            seen.insert(kind(&run(&stores, &operation, now).await?));
        }
    }
    for expected in [
        "Create(Created)",
        "Create(Repeated(",
        "Create(Taken)",
        "Create(Ended(Expired))",
        "Find(false)",
        "Find(true)",
        "Initiate(Opened(",
        "Initiate(Repeated(",
        "Initiate(SecondPhone(",
        "Initiate(Different)",
        "Initiate(Ended(Confirmed))",
        "Initiate(Ended(Blocked))",
        "Initiate(Expired)",
        "Initiate(Unknown)",
        "Confirm(Confirmed(",
        "Confirm(Repeated)",
        "Confirm(Forbidden(",
        "Confirm(StillForbidden)",
        "Confirm(Unsuitable)",
        "Confirm(ProofRequired)",
        "Confirm(Ended(Confirmed))",
        "Confirm(Ended(Denied))",
        "Confirm(Expired)",
        "Confirm(Unknown)",
        "Deny(Denied(",
        "Deny(Repeated)",
        "Deny(Ended(Confirmed))",
        "Deny(Expired)",
        "Deny(Unknown)",
        "Redeem(Redeemed)",
        "Redeem(Refused(Scanned))",
        "Redeem(Repeated(PhonePayload",
        "Redeem(AlreadyRedeemed)",
        "Redeem(CheckCodeRequired)",
        "Redeem(CheckCodeWrong",
        "Redeem(CheckCodeBlocked(",
        "Redeem(Expired)",
        "Redeem(Unknown)",
        "Cancel(Cancelled(",
        "Cancel(Ended(Cancelled))",
        "Cancel(Expired)",
        "Cancel(Unknown)",
        "Attach(Attached(Created))",
        "Attach(Ended(Expired))",
        "Attach(Unknown)",
        "Detach(Detached)",
        "Detach(Unknown)",
        "Claim(Claimed(ClaimedDelivery",
        "Claim(Stale)",
        "Settle(Settled",
        "Settle(Superseded)",
        "Postpone(Postponed(DeliveryPointer",
        "Postpone(Superseded)",
    ] {
        crate::check::holds(
            &format!("{expected} was reached; answers reached: {seen:?}"),
            seen.contains(expected),
        )?;
    }
    Ok(())
}
