//! Requests and answers of the API. Answers ignore members that this version does not know; missing members are
//! empty or absent. Serialized again, they are JSON with the API's names, for a page.

mod confirmation;
mod delivery;
mod event;
mod key;
mod login;
mod phone;
pub(crate) mod time;
mod words;

pub use confirmation::{
    AcquireRequest, ConfirmRequest, Confirmation, ConfirmationClient, ConfirmationPage,
    ConfirmationResult, ConfirmationSession, ConfirmationUri, LastMiss, SecondSender,
};
pub use delivery::{Delivery, DeliveryAttempt};
pub use event::{LoginWebhook, PhoneRegistered, VerifiedNumber};
pub use key::{AssociationKeyId, RegisterKey, RegisteredKey};
pub use login::{CreateLogin, InspectedLogin, LoginPage, NewLogin};
pub use phone::{
    CreatePhoneRegistration, NewPhoneRegistration, PhoneDevice, PhoneDeviceAttribution,
    PhoneRegistration,
};
pub use words::{
    AssociationKeyKind, AttemptFailure, AttemptOutcome, ConfirmationFlow, ConfirmationStatus,
    DeliveryStatus, LastMissReason, LoginDenyReason, LoginResult, LoginState,
    PhoneRegistrationFailure, PhoneRegistrationState, ResultChannel, ResultNumberType,
};
