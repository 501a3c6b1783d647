//! Webhooks as long as those of `serve`, signed as it signs them.

use std::sync::Mutex;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use p256::ecdsa::signature::Signer as _;
use p256::ecdsa::{DerSignature, SigningKey};

use crate::client::Client;
use crate::receiver::Arrival;

/// Number of connections that are open from the start.
const CONNECTIONS: usize = 8;

/// Signs webhooks and posts them over connections that stay open.
pub(crate) struct Sender {
    authority: String,
    path: String,
    /// The bodies' text before the id of the confirmation, and after it.
    around: (String, String),
    key: SigningKey,
    /// Connections that no webhook uses. The last is used next, since it is the warmest.
    idle: Mutex<Vec<Client>>,
}

/// A webhook that is ready to be sent.
pub(super) struct Webhook {
    body: String,
    signature: String,
}

impl Sender {
    /// Makes a sender to a URL, whose webhooks differ from an example only in the id of the confirmation.
    pub(crate) fn new(url: &str, example: &Arrival) -> Self {
        let (authority, path) = url
            .strip_prefix("http://")
            .and_then(|url| url.split_once('/'))
            .expect("a URL of the receiver");
        let (before, after) = example
            .body
            .split_once(&example.confirmation)
            .expect("the body contains the id");
        Self {
            authority: authority.to_owned(),
            path: format!("/{path}"),
            around: (before.to_owned(), after.to_owned()),
            key: SigningKey::from_slice(&[7; 32]).expect("a key"),
            idle: Mutex::default(),
        }
    }

    /// Opens the connections.
    pub(super) async fn warm_up(&self) {
        for _ in 0..CONNECTIONS {
            let client = Client::connect(&self.authority).await;
            self.idle.lock().unwrap().push(client);
        }
    }

    pub(super) fn sign(&self, confirmation: &str) -> Webhook {
        let (before, after) = &self.around;
        let body = [before, confirmation, after].concat();
        let signature: DerSignature = self.key.sign(body.as_bytes());
        let signature = BASE64_STANDARD.encode(signature.as_bytes());
        Webhook { body, signature }
    }

    /// Posts a webhook. Opens another connection if all are in use.
    pub(super) async fn post(&self, webhook: Webhook) {
        let idle = self.idle.lock().unwrap().pop();
        let mut client = match idle {
            Some(client) => client,
            None => Client::connect(&self.authority).await,
        };
        let headers = [("x-signature", webhook.signature.as_str())];
        let answer = client.post(&self.path, &headers, webhook.body).await;
        assert!(answer.status.is_success(), "{}", answer.status);
        self.idle.lock().unwrap().push(client);
    }
}

#[cfg(test)]
mod tests {
    use p256::ecdsa::VerifyingKey;
    use p256::ecdsa::signature::Verifier as _;

    use super::*;

    #[test]
    fn webhook_differs_from_the_example_in_the_id_and_is_signed() {
        let sender = Sender::new("http://127.0.0.1:9/hook", &Arrival::example());
        let webhook = sender.sign("cfm_2");
        assert_eq!(
            webhook.body,
            Arrival::example().body.replace("cfm_1", "cfm_2")
        );
        let der = BASE64_STANDARD.decode(webhook.signature).unwrap();
        let signature = DerSignature::from_bytes(der.as_slice()).unwrap();
        let key = VerifyingKey::from(&sender.key);
        assert!(key.verify(webhook.body.as_bytes(), &signature).is_ok());
    }
}
