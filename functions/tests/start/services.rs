//! A fake of all AWS services that functions use; one of them can fail.

use std::net::SocketAddr;

use tokio::io::AsyncWriteExt as _;
use tokio::net::{TcpListener, TcpStream};

use super::http::{Request, read, write};

/// A service that functions call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Service {
    DynamoDb,
    Kms,
    Secrets,
    Sockets,
    Sqs,
}

/// The way in which a service fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// The service never answers.
    Hangs,
    /// The service closes connections without an answer.
    Drops,
    /// The service answers with an internal error.
    Fails,
    /// The service answers that access is denied.
    Refuses,
}

impl Trouble {
    pub(crate) const ALL: [Self; 4] = [Self::Hangs, Self::Drops, Self::Fails, Self::Refuses];
}

/// Starts the services on loopback; they run for as long as the test's runtime.
pub(crate) async fn start(troubled: Service, trouble: Trouble) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(serve(stream, troubled, trouble));
        }
    });
    address
}

async fn serve(mut stream: TcpStream, troubled: Service, trouble: Trouble) {
    while let Some(request) = read(&mut stream).await {
        let service = asked(&request);
        let written = match (service == troubled).then_some(trouble) {
            None => write(&mut stream, well(service)).await,
            Some(Trouble::Hangs) => return std::future::pending().await,
            Some(Trouble::Drops) => stream.shutdown().await,
            Some(Trouble::Fails) => write(&mut stream, (500, "InternalFailure", FAILED)).await,
            Some(Trouble::Refuses) => {
                write(&mut stream, (400, "AccessDeniedException", FAILED)).await
            }
        };
        if written.is_err() || (service == troubled && trouble == Trouble::Drops) {
            return;
        }
    }
}

fn asked(request: &Request) -> Service {
    let target = request.header("x-amz-target").unwrap_or_default();
    match target.split(['.', '_']).next().unwrap_or_default() {
        "DynamoDB" => Service::DynamoDb,
        "TrentService" => Service::Kms,
        "secretsmanager" => Service::Secrets,
        "AmazonSQS" => Service::Sqs,
        _ => Service::Sockets,
    }
}

const FAILED: &str = r#"{"message":"no"}"#;

/// Returns the answer to a function's call at startup: status, error, body.
const fn well(service: Service) -> (u16, &'static str, &'static str) {
    match service {
        Service::DynamoDb => (200, "", "{}"),
        Service::Kms => (200, "", PUBLIC_KEY),
        Service::Secrets => (200, "", PROVIDERS),
        Service::Sqs => (200, "", r#"{"Attributes":{}}"#),
        // The connection that the function tests at startup does not exist.
        Service::Sockets => (410, "GoneException", FAILED),
    }
}

const PUBLIC_KEY: &str = r#"{
    "KeyId": "arn:aws:kms:eu-central-1:000000000000:key/current",
    "PublicKey": "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE3mSv+5FdYjXGxyp76egAEZXjbPBSyrqMqMp8t72b5lavURAf1gRuSwEYfKpdMqIwnZcnOejIsB+eVq8XfbeI7A=="
}"#;

const PROVIDERS: &str = r#"{
    "SecretString": "{\"generic\":{\"secrets\":\"whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=\"}}"
}"#;
