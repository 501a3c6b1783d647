//! Phone registrations: each sets up the web authenticator, the page on an app's link host, as one user's phone.
//!
//! The app's server creates one for a user who is logged in, and shows its link. The first phone that opens the link
//! makes a key and proves that it has it. It shows two digits, which the user types into the app's page, so that nobody
//! else's phone can answer. Only then is the key registered.

pub mod credential;
mod state;
pub mod tokens;
pub mod transitions;
mod webhook;

pub use credential::{SetupSecret, SetupSecretHash, UserHandle};
pub use state::{
    Failure, NewPhoneKey, PhoneRegistration, RETENTION, SetupPhone, SetupState, SetupStatus,
    VALIDITY,
};
pub use tokens::{
    RegistrationToken, SetupPageToken, SetupPageTokenHash, SetupPhoneToken, SetupPhoneTokenHash,
};
pub use transitions::SetupRefusal;
pub use webhook::PhoneRegisteredBody;
