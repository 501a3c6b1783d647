//! The platform of the playground's phones: calls inside the process, and a single association key for
//! all.

use std::cell::RefCell;
use std::sync::Arc;

use async_trait::async_trait;
use countersign_api::viewer::PeerAddress;
use countersign_proof::AssociationPrivateKey;
use countersign_sdk::{AssociationKeys, Http, KeyError, NetworkError, Request, Response};

use super::in_process::{CallResult, InProcess};

/// A request from the page, during which its phone calls the API.
pub(super) struct PageCall {
    peer: Option<PeerAddress>,
    /// The result of the phone's last API call.
    called: RefCell<Option<CallResult>>,
}

tokio::task_local! {
    static CALL: PageCall;
}

/// Lets a phone call the API with a page's address as the source. Returns the result, and that of
/// the phone's last API call.
pub(super) async fn from_page<T>(
    peer: Option<PeerAddress>,
    phone: impl Future<Output = T>,
) -> (T, Option<CallResult>) {
    let call = PageCall {
        peer,
        called: RefCell::default(),
    };
    let with_last = async {
        let result = phone.await;
        (result, CALL.with(|call| call.called.take()))
    };
    CALL.scope(call, with_last).await
}

/// Sends a phone's requests to the API in this process.
pub(super) struct PhoneHttp(pub(super) Arc<InProcess>);

#[async_trait]
impl Http for PhoneHttp {
    async fn send(&self, request: Request) -> Result<Response, NetworkError> {
        let peer = CALL.try_with(|call| call.peer).ok().flatten();
        let called = self.0.phone(peer, request).await;
        let response = match &called {
            Ok(answer) => Ok(Response {
                status: answer.status.as_u16(),
                headers: Vec::new(),
                body: answer.text().to_vec(),
            }),
            Err(_) => Err(NetworkError::Permanent {
                detail: "the call within the process failed".to_owned(),
            }),
        };
        // Outside a page's request, no caller needs the result.
        let _ = CALL.try_with(|call| call.called.replace(Some(called)));
        response
    }
}

/// The association key of every simulated phone and user.
pub(super) struct OneKey(pub(super) AssociationPrivateKey);

impl AssociationKeys for OneKey {
    fn generate(&self, _: String) -> Result<Vec<u8>, KeyError> {
        Err(KeyError::Failed {
            detail: "the playground's phones have one key".to_owned(),
        })
    }

    fn public_key(&self, _: String) -> Result<Option<Vec<u8>>, KeyError> {
        Ok(Some(self.0.public_key().to_der()))
    }

    fn list(&self) -> Result<Vec<String>, KeyError> {
        Ok(Vec::new())
    }

    fn sign(&self, _: String, data: Vec<u8>) -> Result<Vec<u8>, KeyError> {
        Ok(self.0.sign_der(&data))
    }
}
