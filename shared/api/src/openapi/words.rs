//! Words that answers use, for the description.
#![expect(dead_code, reason = "these types describe, and are never made")]

use utoipa::ToSchema;

/// Where a session stands.
#[derive(ToSchema)]
#[schema(rename_all = "snake_case")]
pub(crate) enum ConfirmationStatus {
    Open,
    Verified,
    Expired,
    Cancelled,
}

/// Whether the number is to be learnt or is known.
#[derive(ToSchema)]
#[schema(rename_all = "snake_case")]
pub(crate) enum ConfirmationFlow {
    Acquisition,
    Confirmation,
}

/// Where a delivery stands.
#[derive(ToSchema)]
#[schema(rename_all = "snake_case")]
pub(crate) enum DeliveryStatus {
    Pending,
    Delivered,
    Failed,
}

/// How an attempt ended. It succeeded where the receiver answered 2xx.
#[derive(ToSchema)]
#[schema(rename_all = "snake_case")]
pub(crate) enum AttemptOutcome {
    Succeeded,
    Failed,
}

/// Why no answer came. `signing_failed` is our fault; the others are the receiver's, its name's or
/// its network's. `address_refused` is of the URL itself and final; `dns_address_refused` is of what
/// its name resolved to, and tried again.
#[derive(ToSchema)]
#[schema(rename_all = "snake_case")]
pub(crate) enum AttemptFailure {
    AddressRefused,
    DnsAddressRefused,
    NameNotResolved,
    ConnectFailed,
    TlsFailed,
    TimedOut,
    ProtocolError,
    SigningFailed,
}

/// Where a login session stands.
#[derive(ToSchema)]
#[schema(rename_all = "snake_case")]
pub(crate) enum SessionState {
    Created,
    Scanned,
    Confirmed,
    Consumed,
    Denied,
    Blocked,
    Expired,
    Cancelled,
}

/// How risky a login looks.
#[derive(ToSchema)]
#[schema(rename_all = "snake_case")]
pub(crate) enum RiskStatus {
    Clear,
    Warn,
    Deny,
}
