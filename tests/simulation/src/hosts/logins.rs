//! Serves the requests of browsers and phones about logins.

use countersign_domain::app::quota::Allowance;
use countersign_domain::login::sighting::{Located, NetworkClass, NoGeoIp, UserAgent};
use countersign_domain::login::{LoginCreator, Refusal};
use countersign_domain::primitives::ids::LoginId;
use countersign_domain::use_cases::logins::{
    CreateError, CreateRequest, InitiateRequest, LoginError, LoginPorts, Visitor, approve, cancel,
    confirm, create, deny, initiate, redeem, status, watch,
};

use super::Handler;
use countersign_proof::Proofs;

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
        let ports = LoginPorts {
            common: self.ports(),
            proofs: &Proofs,
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
                    creator: LoginCreator::Page,
                    test: false,
                    browser: visitor(BROWSER, network),
                    token: &token,
                    browser_key: key,
                    return_url: None,
                    openid: None,
                    own_origin: None,
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
                    can_return: false,
                    test: false,
                    user,
                };
                let answer = initiate(ports, request).await;
                answered(answer.map(|initiated| LoginAnswer::Login(Box::new(initiated.login))))
            }
            LoginRequest::Status(token) => {
                let answer = status(ports, id, &token).await;
                answered(answer.map(|found| LoginAnswer::Is(found.status)))
            }
            LoginRequest::Watch(token, watcher) => {
                answered(watch(ports, id, &token, watcher).await.map(LoginAnswer::Is))
            }
            LoginRequest::Redeem { token, receipt } => {
                let answer = redeem(ports, id, &token, &receipt, None).await;
                answered(answer.map(LoginAnswer::Payload))
            }
            LoginRequest::Cancel(token) => {
                answered(cancel(ports, id, &token).await.map(|()| LoginAnswer::Done))
            }
            LoginRequest::Confirm { token, payload } => {
                let answer = confirm(ports, id, &token, payload).await;
                answered(answer.map(|()| LoginAnswer::Done))
            }
            LoginRequest::Deny {
                token,
                payload,
                reason,
            } => {
                let answer = deny(ports, id, &token, payload, reason).await;
                answered(answer.map(|()| LoginAnswer::Done))
            }
        }
    }
}

fn created(answer: Result<LoginAnswer, CreateError>) -> LoginAnswer {
    answer.unwrap_or_else(|error| match error {
        CreateError::Taken => LoginAnswer::Taken,
        CreateError::Ended(status) => LoginAnswer::Refused(Refusal::WrongStatus(status)),
        CreateError::Unavailable(_) => LoginAnswer::Unavailable,
        CreateError::OriginMissing
        | CreateError::OriginNotListed { .. }
        | CreateError::ReturnElsewhere
        | CreateError::ReturnNotListed(_)
        | CreateError::NoLinkHost
        | CreateError::ServerOnly
        | CreateError::KeyRequired
        | CreateError::KeyRequiredByContext
        | CreateError::Anonymous
        | CreateError::QuotaExceeded(_) => LoginAnswer::NotAllowed,
    })
}

fn answered(answer: Result<LoginAnswer, LoginError>) -> LoginAnswer {
    answer.unwrap_or_else(|error| match error {
        LoginError::Refused(refusal) => LoginAnswer::Refused(refusal),
        LoginError::Unavailable(_) => LoginAnswer::Unavailable,
    })
}
