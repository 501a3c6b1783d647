//! Serves the requests of browsers and phones about logins.

use countersign_domain::app::quota::Allowance;
use countersign_domain::login::Opener;
use countersign_domain::login::sighting::{Located, NetworkClass, NoGeoIp, UserAgent};
use countersign_domain::primitives::ids::LoginId;
use countersign_domain::use_cases::logins::{
    CancelError, ConfirmError, CreateError, CreateRequest, DenyError, InitiateError,
    InitiateRequest, Ports, RedeemError, Visitor, WatchError, approve, cancel, confirm, create,
    deny, initiate, redeem, status, watch,
};

use super::Handler;
use crate::logins::{BROWSER, LoginAnswer, LoginRequest, PHONE};
use crate::ports::{NameLimitLink, PushLink};

fn visitor(address: std::net::IpAddr, network: NetworkClass) -> Visitor {
    Visitor {
        address,
        user_agent: UserAgent::new("Mozilla/5.0"),
        located: Located {
            network,
            ..Located::default()
        },
    }
}

impl Handler {
    /// Serves a request about a login.
    pub async fn serve(self, id: LoginId, request: LoginRequest) -> LoginAnswer {
        let link = &self.link;
        let push = PushLink {
            link: link.clone(),
            connections: self.connections.clone(),
        };
        let names = NameLimitLink(link.clone());
        let ports = Ports {
            common: self.ports(),
            proofs: &*self.proofs,
            names: &names,
            push: &push,
            geo: &NoGeoIp,
        };
        let app = &self.app.0;
        match request {
            LoginRequest::Create {
                token,
                key,
                origin,
                network,
            } => {
                let request = CreateRequest {
                    app,
                    origin: Some(origin),
                    opener: Opener::Page,
                    browser: visitor(BROWSER, network),
                    token: &token,
                    browser_key: key,
                    allowance: Allowance::Unlimited,
                };
                match approve(ports, request) {
                    Err(error) => created(Err(error)),
                    Ok(approved) => {
                        let answer = create(ports, approved).await;
                        created(answer.map(|created| LoginAnswer::Login(Box::new(created.login))))
                    }
                }
            }
            LoginRequest::Initiate { token, user } => {
                let request = InitiateRequest {
                    app,
                    id,
                    token: &token,
                    phone: visitor(PHONE, NetworkClass::Access),
                    user,
                };
                let answer = initiate(ports, request).await;
                initiated(answer.map(|initiated| LoginAnswer::Login(Box::new(initiated.login))))
            }
            LoginRequest::Status(token) => {
                let answer = status(ports, id, &token).await;
                watched(answer.map(|found| LoginAnswer::Is(found.status)))
            }
            LoginRequest::Watch(token, watcher) => {
                watched(watch(ports, id, &token, watcher).await.map(LoginAnswer::Is))
            }
            LoginRequest::Redeem { token, receipt } => {
                let answer = redeem(ports, id, &token, &receipt, None).await;
                redeemed(answer.map(LoginAnswer::Payload))
            }
            LoginRequest::Cancel(token) => {
                cancelled(cancel(ports, id, &token).await.map(|()| LoginAnswer::Done))
            }
            LoginRequest::Confirm { token, payload } => {
                let answer = confirm(ports, id, &token, payload).await;
                confirmed(answer.map(|()| LoginAnswer::Done))
            }
            LoginRequest::Deny {
                token,
                payload,
                reason,
            } => {
                let answer = deny(ports, id, &token, payload, reason).await;
                denied(answer.map(|()| LoginAnswer::Done))
            }
        }
    }
}

fn created(answer: Result<LoginAnswer, CreateError>) -> LoginAnswer {
    answer.unwrap_or_else(|error| match error {
        CreateError::Taken => LoginAnswer::Taken,
        CreateError::Ended(status) => LoginAnswer::Ended(status),
        CreateError::Unavailable(_) => LoginAnswer::Unavailable,
        CreateError::OriginNotAllowed
        | CreateError::NoLinkHost
        | CreateError::KeyRequired
        | CreateError::KeyRequiredByContext
        | CreateError::QuotaExceeded(_) => LoginAnswer::NotAllowed,
    })
}

fn initiated(answer: Result<LoginAnswer, InitiateError>) -> LoginAnswer {
    answer.unwrap_or_else(|error| match error {
        InitiateError::Unknown => LoginAnswer::Unknown,
        InitiateError::SecondPhone => LoginAnswer::SecondPhone,
        InitiateError::Different => LoginAnswer::Different,
        InitiateError::Ended(status) => LoginAnswer::Ended(status),
        InitiateError::Expired => LoginAnswer::Expired,
        InitiateError::Unavailable(_) => LoginAnswer::Unavailable,
    })
}

fn watched(answer: Result<LoginAnswer, WatchError>) -> LoginAnswer {
    answer.unwrap_or_else(|error| match error {
        WatchError::Unknown => LoginAnswer::Unknown,
        WatchError::Unavailable(_) => LoginAnswer::Unavailable,
    })
}

fn redeemed(answer: Result<LoginAnswer, RedeemError>) -> LoginAnswer {
    answer.unwrap_or_else(|error| match error {
        RedeemError::Unknown => LoginAnswer::Unknown,
        RedeemError::Redeemed => LoginAnswer::Redeemed,
        RedeemError::NotConfirmed(status) => LoginAnswer::Ended(status),
        RedeemError::Expired => LoginAnswer::Expired,
        // The app of a run asks for no check code.
        RedeemError::CheckCodeRequired
        | RedeemError::CheckCodeWrong { .. }
        | RedeemError::CheckCodeBlocked => LoginAnswer::NotAllowed,
        RedeemError::Unavailable(_) => LoginAnswer::Unavailable,
    })
}

fn cancelled(answer: Result<LoginAnswer, CancelError>) -> LoginAnswer {
    answer.unwrap_or_else(|error| match error {
        CancelError::Unknown => LoginAnswer::Unknown,
        CancelError::Ended(status) => LoginAnswer::Ended(status),
        CancelError::Expired => LoginAnswer::Expired,
        CancelError::Unavailable(_) => LoginAnswer::Unavailable,
    })
}

fn confirmed(answer: Result<LoginAnswer, ConfirmError>) -> LoginAnswer {
    answer.unwrap_or_else(|error| match error {
        ConfirmError::Unknown => LoginAnswer::Unknown,
        ConfirmError::Forbidden => LoginAnswer::Forbidden,
        ConfirmError::Unsuitable => LoginAnswer::Unsuitable,
        ConfirmError::ProofRequired => LoginAnswer::ProofRequired,
        ConfirmError::ProofInvalid => LoginAnswer::ProofInvalid,
        ConfirmError::ProofMismatch => LoginAnswer::ProofMismatch,
        ConfirmError::Ended(status) => LoginAnswer::Ended(status),
        ConfirmError::Expired => LoginAnswer::Expired,
        ConfirmError::Unavailable(_) => LoginAnswer::Unavailable,
    })
}

fn denied(answer: Result<LoginAnswer, DenyError>) -> LoginAnswer {
    answer.unwrap_or_else(|error| match error {
        DenyError::Unknown => LoginAnswer::Unknown,
        DenyError::Ended(status) => LoginAnswer::Ended(status),
        DenyError::Expired => LoginAnswer::Expired,
        DenyError::Unavailable(_) => LoginAnswer::Unavailable,
    })
}
