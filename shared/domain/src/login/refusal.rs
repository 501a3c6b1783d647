//! The reasons why a login refuses a request.

use thiserror::Error;

use super::state::Status;

/// The reason why a login refuses a request of its browser, its phone or its app's server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Refusal {
    /// The login does not exist for this caller, or no longer exists. Callers who cannot prove that a
    /// login is theirs also get this answer.
    #[error("there is no such login")]
    Unknown,
    #[error("the login has expired")]
    Expired,
    /// The login has ended, or its status does not allow the request: a confirmed login cannot be
    /// decided differently, and an unconfirmed one cannot be redeemed.
    #[error("the login is {}", .0.into_str())]
    WrongStatus(Status),
    /// The app's settings no longer allow the login, so it ends.
    #[error("the app's settings no longer allow the login")]
    Withdrawn,
    /// The login ended before this phone opened it. A stranger who saw the code may ask, so only clients that
    /// took part learn how the login ended.
    #[error("the login has ended")]
    Over,
    /// A different phone has already opened the login, so someone else also has the code. The login
    /// is blocked.
    #[error("another phone opened the code; the login is blocked")]
    SecondPhone,
    /// This phone has already opened the login, naming a different user.
    #[error("this phone already opened the code, with a different body")]
    Different,
    /// The app's server expects a different user from the one that the phone named.
    #[error("the login is for a different user")]
    UserMismatch,
    /// The risk is too high. The login is blocked.
    #[error("the risk is too high to confirm the login")]
    Forbidden,
    /// The payload is encrypted, but the browser has no key.
    #[error("the browser has no key to decrypt the payload")]
    Encrypted,
    /// The payload is readable, but the browser has a key.
    #[error("the payload is not encrypted for the browser")]
    Readable,
    /// The login has a context but the confirmation has no proof, or the app requires a proof by a
    /// registered key and none was verified.
    #[error("the login needs a proof")]
    ProofRequired,
    /// The proof is invalid, or its key was revoked or does not belong to the app.
    #[error("the proof is invalid")]
    ProofInvalid,
    /// The proof or its key names a different user from the one that the phone claimed or that the app's server
    /// expects.
    #[error("the proof belongs to a different user")]
    ProofMismatch,
    /// The payload was already redeemed and cannot be returned again: it was readable, the receipt
    /// is different, or the time for repeating the request has run out.
    #[error("the payload was already redeemed")]
    Redeemed,
    /// The login requires a check code, and the browser sent none. This does not count as a wrong
    /// code.
    #[error("the login needs the check code")]
    CheckCodeRequired,
    /// The app returned to a browser with a one-time token, and this browser did not send it.
    #[error("the login needs the token of the return")]
    ReturnTokenRequired,
    #[error("the check code is wrong")]
    CheckCodeWrong {
        /// Number of different wrong codes that still block the login; at least 1.
        tries_left: u8,
    },
    /// The check code was wrong too often, and the login is blocked.
    #[error("the check code was wrong too often; the login is blocked")]
    CheckCodeBlocked,
}
