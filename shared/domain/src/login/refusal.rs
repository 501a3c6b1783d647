//! The reasons why a login does not take a request.

use thiserror::Error;

use super::state::Status;

/// The reason why a login does not take a request of its browser, its phone or its app's server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Refusal {
    /// The caller has no such login, or no longer. Callers who cannot prove that a login is theirs get
    /// this answer, too.
    #[error("there is no such login")]
    Unknown,
    #[error("the login has expired")]
    Expired,
    /// The login has ended, or its status does not allow the request: what was confirmed cannot be
    /// confirmed otherwise, and what was not confirmed cannot be redeemed.
    #[error("the login is {}", .0.into_str())]
    WrongStatus(Status),
    /// The app's settings no longer allow the login, which ends.
    #[error("the app's settings no longer allow the login")]
    Withdrawn,
    /// The login ended before this phone opened it. A stranger who saw the code may ask, so only clients that
    /// took part learn how.
    #[error("the login has ended")]
    Over,
    /// Another phone had opened the login, so the code is in other hands, too. The login is blocked.
    #[error("another phone opened the code; the login is blocked")]
    SecondPhone,
    /// This phone had opened the login before, and named another user.
    #[error("this phone opened the code before, with another body")]
    Different,
    /// The app's server expects another user than the one that the phone named.
    #[error("the login is for another user")]
    UserMismatch,
    /// The risk is too high. The login is blocked.
    #[error("the risk is too high to confirm the login")]
    Forbidden,
    /// The payload is encrypted although the browser has no key.
    #[error("the browser has no key to decrypt the payload")]
    Encrypted,
    /// The payload is readable although the browser has a key.
    #[error("the payload is not encrypted for the browser")]
    Readable,
    /// The login has a context and the confirmation no proof, or the app requires proofs and none of a
    /// registered key was verified.
    #[error("the login needs a proof")]
    ProofRequired,
    /// The proof is false, or its key was revoked or is not the app's.
    #[error("the proof is invalid")]
    ProofInvalid,
    /// The proof or its key names another user than the one that the phone claimed, or that the app's server expects.
    #[error("the proof is another user's")]
    ProofMismatch,
    /// The payload was redeemed before: it was readable, the receipt was another, or its time is over.
    #[error("the payload was redeemed before")]
    Redeemed,
    /// The login requires a check code, and the browser sent none. This does not count as a miss.
    #[error("the login needs the check code")]
    CheckCodeRequired,
    /// The app returned to a browser with a one-time token, and this one did not send it.
    #[error("the login needs the token of the return")]
    ReturnTokenRequired,
    #[error("the check code is wrong")]
    CheckCodeWrong {
        /// Different wrong codes until the login is blocked; at least 1.
        tries_left: u8,
    },
    /// The check code was wrong once too often, and the login is blocked.
    #[error("the check code was wrong too often; the login is blocked")]
    CheckCodeBlocked,
}
