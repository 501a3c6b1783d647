//! The requests of browsers and phones about logins, and their answers.

use std::net::IpAddr;

use countersign_domain::login::sighting::NetworkClass;
use countersign_domain::login::{
    BrowserPublicKey, BrowserToken, ClaimedUserId, DenialPayload, DenyReason, DeviceToken, Login,
    MobileToken, PhonePayload, Receipt, Refusal, Status,
};
use countersign_domain::primitives::watcher::WatcherId;

/// A request about a login.
#[derive(Clone, Debug)]
pub enum LoginRequest {
    /// `POST /qr-sessions`.
    Create {
        /// Token that the browser chose.
        token: BrowserToken,
        /// The key for encryption by the phone, if the browser has one.
        key: Option<BrowserPublicKey>,
        /// The `Origin` header.
        origin: &'static str,
        /// Network class of the browser.
        network: NetworkClass,
    },
    /// `GET /qr-sessions/{id}`.
    Status(DeviceToken),
    /// The first message over the WebSocket.
    Watch(DeviceToken, WatcherId),
    /// `POST /qr-sessions/{id}/redeem`.
    Redeem {
        token: BrowserToken,
        /// Receipt that the browser chose.
        receipt: Receipt,
    },
    /// `DELETE /qr-sessions/{id}`.
    Cancel(BrowserToken),
    /// `POST /qr-sessions/{id}/initiate`.
    Initiate {
        /// Token that the phone chose.
        token: MobileToken,
        /// The user id that the phone sends.
        user: Option<ClaimedUserId>,
    },
    /// `POST /qr-sessions/{id}/confirm`.
    Confirm {
        /// Token of the phone.
        token: MobileToken,
        /// Data for the browser.
        payload: PhonePayload,
    },
    /// `POST /qr-sessions/{id}/deny`.
    Deny {
        /// Token of the phone.
        token: MobileToken,
        /// Data for the app's server.
        payload: DenialPayload,
        /// The reason, if the phone denies without asking the user.
        reason: Option<DenyReason>,
    },
}

/// The answer to a request about a login.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LoginAnswer {
    /// The login, as its browser or its phone sees it.
    Login(Box<Login>),
    Is(Status),
    Payload(PhonePayload),
    Done,
    /// The id is already used with another token, app or page.
    Taken,
    /// The state of the login does not allow the request.
    Refused(Refusal),
    /// The page is not allowed to create logins.
    NotAllowed,
    /// A port failed.
    Unavailable,
}

impl LoginRequest {
    /// Returns the request's name in the trace.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Create { .. } => "login: create",
            Self::Status(_) => "login: status",
            Self::Watch(..) => "login: watch",
            Self::Redeem { .. } => "login: redeem",
            Self::Cancel(_) => "login: cancel",
            Self::Initiate { .. } => "login: initiate",
            Self::Confirm { .. } => "login: confirm",
            Self::Deny { .. } => "login: deny",
        }
    }
}

/// The address that all browsers have. Denials of logins from one address add up.
pub const BROWSER: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(203, 0, 113, 7));

/// The address that all phones have.
pub const PHONE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(198, 51, 100, 9));
