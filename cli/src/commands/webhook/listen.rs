//! `countersign webhook listen`: a receiver that prints webhooks.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::routing::post;
use reqwest::Client;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::Mutex;

use super::super::web;
use crate::args::{ListenArgs, Output};
use crate::failure::Failure;
use crate::published_keys::{PublishedKeys, Verdict};
use crate::terminal::{print, show};

/// Maximum size of a body, in bytes. Webhooks are far smaller.
pub(super) const MAX_BODY: usize = 256 << 10;

struct Receiver {
    client: Client,
    server: String,
    output: Output,
    keys: Mutex<PublishedKeys>,
}

/// Receives webhooks until interrupted.
///
/// It prints every webhook and stores none, so unlike a receiver in production it does not check
/// whether it expects the `confirmationId`.
pub(crate) async fn listen(
    data: &Path,
    args: &ListenArgs,
    output: Output,
) -> Result<ExitCode, Failure> {
    let server = super::server(data, args.url.as_ref()).await?;
    let client = web::client()?;
    let keys = Mutex::new(web::published_keys(&client, &server).await?);
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, args.port));
    let bound = TcpListener::bind(address).await;
    let (listener, bound) = bound
        .and_then(|listener| listener.local_addr().map(|bound| (listener, bound)))
        .map_err(|error| {
            Failure::because(
                format!("cannot listen on {address}; choose another port with --port"),
                &error,
            )
        })?;
    if output.json {
        print(&json!({ "listening": format!("http://{bound}/"), "server": server }).to_string())?;
    } else {
        print(&format!(
            "Webhooks to http://{bound}/ are shown here, checked against the keys of {server}. \
             Press Ctrl-C to stop.\nIn production, accept a confirmationId only if you stored it when you \
             started the confirmation, and only once."
        ))?;
    }
    let receiver = Arc::new(Receiver {
        client,
        server,
        output,
        keys,
    });
    let router = Router::new()
        .fallback(post(receive))
        .layer(DefaultBodyLimit::max(MAX_BODY))
        .with_state(receiver);
    axum::serve(listener, router)
        .with_graceful_shutdown(async {
            // Without signal handling, the process can only be killed.
            if tokio::signal::ctrl_c().await.is_err() {
                std::future::pending::<()>().await;
            }
        })
        .await
        .map_err(|error| Failure::because("cannot receive", &error))?;
    Ok(ExitCode::SUCCESS)
}

/// Answers 204 to authentic webhooks and 403 to all others, as the specification recommends; 500 if
/// the keys or the output fail, so that the webhook is sent again.
async fn receive(
    State(receiver): State<Arc<Receiver>>,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> StatusCode {
    match receiver.verify(&headers, &body).await {
        Ok(verdict) => {
            let shown = receiver.show(&uri, &headers, &body, &verdict);
            match (shown, verdict.is_valid()) {
                (Err(_), _) => StatusCode::INTERNAL_SERVER_ERROR,
                (Ok(()), true) => StatusCode::NO_CONTENT,
                (Ok(()), false) => StatusCode::FORBIDDEN,
            }
        }
        Err(failure) => {
            crate::terminal::complain(&format!("countersign: {failure}"));
            StatusCode::INTERNAL_SERVER_ERROR
        }
    }
}

impl Receiver {
    async fn verify(&self, headers: &HeaderMap, body: &[u8]) -> Result<Verdict, Failure> {
        let signature = header(headers, "x-signature").unwrap_or_default();
        let named = header(headers, "x-signature-key-id");
        let mut keys = self.keys.lock().await;
        // An unknown key may have been published after the last fetch.
        if named.is_some_and(|id| !keys.contain(id)) {
            *keys = web::published_keys(&self.client, &self.server).await?;
        }
        Ok(keys.verify(body, signature, named))
    }

    fn show(
        &self,
        uri: &Uri,
        headers: &HeaderMap,
        body: &[u8],
        verdict: &Verdict,
    ) -> Result<(), Failure> {
        let text = String::from_utf8_lossy(body);
        let parsed: Option<Value> = serde_json::from_slice(body).ok();
        let id = header(headers, "webhook-id").unwrap_or("none");
        if self.output.json {
            let line = json!({
                "path": uri.path(),
                "webhookId": id,
                "valid": verdict.is_valid(),
                "verdict": verdict.to_string(),
                "signature": header(headers, "x-signature"),
                "body": text,
            });
            return show(&line.to_string());
        }
        let pretty = parsed.and_then(|value| serde_json::to_string_pretty(&value).ok());
        let pretty = pretty.unwrap_or_else(|| text.escape_debug().to_string());
        show(&format!(
            "\nPOST {}\nwebhook-id  {id}\nsignature   {verdict}\n{pretty}",
            uri.path()
        ))
    }
}

fn header<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}
