#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test fails by panicking"
)]

use std::net::SocketAddr;
use std::sync::Mutex;

use aws_smithy_runtime_api::client::runtime_components::RuntimeComponentsBuilder;
use http_body_util::BodyExt as _;
use rcgen::{CertifiedKey, generate_simple_self_signed};
use rustls::ServerConfig;
use rustls::pki_types::PrivateKeyDer;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use super::*;
use crate::services::Roots;

/// Time after which a call that hangs fails its test.
const HANGS: Duration = Duration::from_mins(1);

/// What a server does with a request.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Answer {
    /// Answers with a status and a body.
    Status(u16),
    /// Answers, and closes the connection.
    Last,
    /// Begins a body that it does not end.
    Endless,
    /// Closes the connection without an answer.
    Close,
    /// Never answers.
    Silence,
    /// Answers the first request of each connection, and closes it at the second.
    OnceThenClose,
    /// Answers the first request of each connection only.
    OnceThenSilence,
}

/// A server that gives the same answer to each request, and records each with its connection's number.
#[derive(Clone)]
struct Server {
    address: SocketAddr,
    seen: Arc<Mutex<Vec<(usize, String)>>>,
}

impl Server {
    async fn start(answer: Answer) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let seen = Arc::new(Mutex::default());
        let server = Self { address, seen };
        let running = server.clone();
        tokio::spawn(async move {
            for number in 0.. {
                let (stream, _) = listener.accept().await.unwrap();
                tokio::spawn(running.clone().serve(number, stream, answer));
            }
        });
        server
    }

    async fn serve(
        self,
        number: usize,
        mut stream: impl AsyncRead + AsyncWrite + Unpin,
        answer: Answer,
    ) {
        let mut request = Vec::new();
        let mut is_first = true;
        while stream.read_buf(&mut request).await.unwrap_or(0) > 0 {
            if !request.ends_with(b"{}") {
                continue;
            }
            let text = String::from_utf8(std::mem::take(&mut request)).unwrap();
            self.seen.lock().unwrap().push((number, text));
            let (head, ends) = match answer {
                Answer::Status(status) => (format!("{status} X\r\ncontent-length: 2"), false),
                Answer::Last => (
                    "200 X\r\nconnection: close\r\ncontent-length: 2".to_owned(),
                    true,
                ),
                Answer::Endless => ("200 X\r\ncontent-length: 3".to_owned(), false),
                Answer::OnceThenClose | Answer::OnceThenSilence if is_first => {
                    ("200 X\r\ncontent-length: 2".to_owned(), false)
                }
                Answer::Close | Answer::OnceThenClose => return,
                Answer::Silence | Answer::OnceThenSilence => std::future::pending().await,
            };
            is_first = false;
            let answer = format!("HTTP/1.1 {head}\r\n\r\nok");
            if stream.write_all(answer.as_bytes()).await.is_err() || ends {
                return;
            }
        }
    }

    /// Returns the numbers of the connections that brought requests.
    fn connections(&self) -> Vec<usize> {
        let seen = self.seen.lock().unwrap();
        seen.iter().map(|(number, _)| *number).collect()
    }

    fn url(&self) -> String {
        format!("http://{}/", self.address)
    }
}

fn transport() -> Transport {
    Transport::new(Roots::Amazon.tls())
}

fn request(url: &str) -> HttpRequest {
    let mut request = HttpRequest::new(SdkBody::from("{}"));
    request.set_method("POST").unwrap();
    request.set_uri(url).unwrap();
    request
}

/// Makes a call and reads its body; returns the status.
async fn call(transport: &Transport, url: &str) -> Result<u16, ConnectorError> {
    let exchange = tokio::time::timeout(HANGS, transport.exchange(request(url)));
    let response = exchange.await.expect("the call ends")?;
    let status = response.status().as_u16();
    let body = response.into_body().collect().await.unwrap().to_bytes();
    assert_eq!(body, "ok");
    Ok(status)
}

#[tokio::test]
async fn connection_is_kept_for_the_next_call() {
    let (server, transport) = (Server::start(Answer::Status(200)).await, transport());
    for _ in 0..3 {
        assert_eq!(call(&transport, &server.url()).await.unwrap(), 200);
    }
    assert_eq!(server.connections(), [0, 0, 0]);
    // Clones, which the SDK's clients get, share it.
    call(&transport.clone(), &server.url()).await.unwrap();
    assert_eq!(server.connections(), [0; 4]);
}

#[tokio::test]
async fn concurrent_calls_have_connections_of_their_own() {
    let (server, transport) = (Server::start(Answer::Status(400)).await, transport());
    let url = server.url();
    let calls = (0..3).map(|_| transport.exchange(request(&url)));
    let responses = futures_util::future::join_all(calls).await;
    let mut connections = server.connections();
    connections.sort_unstable();
    assert_eq!(connections, [0, 1, 2]);
    for response in responses {
        response.unwrap().into_body().collect().await.unwrap();
    }
    call(&transport, &url).await.unwrap();
    assert!(server.connections()[3] < 3);
}

#[tokio::test]
async fn origins_do_not_share_connections() {
    let transport = transport();
    for server in [
        Server::start(Answer::Status(200)).await,
        Server::start(Answer::Status(200)).await,
    ] {
        call(&transport, &server.url()).await.unwrap();
        assert_eq!(server.connections(), [0]);
    }
}

#[tokio::test]
async fn closed_connection_is_replaced() {
    let (server, transport) = (Server::start(Answer::Last).await, transport());
    for number in 0..3 {
        assert_eq!(call(&transport, &server.url()).await.unwrap(), 200);
        assert_eq!(server.connections().last(), Some(&number));
    }
}

#[tokio::test]
async fn connection_to_a_host_in_trouble_is_not_kept() {
    let (server, transport) = (Server::start(Answer::Status(503)).await, transport());
    assert_eq!(call(&transport, &server.url()).await.unwrap(), 503);
    assert_eq!(call(&transport, &server.url()).await.unwrap(), 503);
    assert_eq!(server.connections(), [0, 1]);
}

#[tokio::test]
async fn connection_with_an_unread_answer_is_not_kept() {
    let (server, transport) = (Server::start(Answer::Endless).await, transport());
    for _ in 0..2 {
        let response = transport.exchange(request(&server.url())).await.unwrap();
        assert_eq!(response.status().as_u16(), 200);
    }
    assert_eq!(server.connections(), [0, 1]);
}

#[tokio::test]
async fn call_that_is_given_up_closes_its_connection() {
    let (server, transport) = (Server::start(Answer::Silence).await, transport());
    let url = server.url();
    for number in 0..2 {
        let mut call = Box::pin(transport.exchange(request(&url)));
        while server.connections().len() <= number {
            assert!(futures_util::poll!(&mut call).is_pending());
            tokio::task::yield_now().await;
        }
    }
    assert_eq!(server.connections(), [0, 1]);
}

/// Makes so many calls at once, which leave as many connections.
async fn call_at_once(transport: &Transport, url: &str, count: usize) {
    let calls = (0..count).map(|_| call(transport, url));
    for status in futures_util::future::join_all(calls).await {
        assert_eq!(status.unwrap(), 200);
    }
}

#[tokio::test]
async fn one_dead_connection_is_enough_to_connect_again() {
    let (server, transport) = (Server::start(Answer::OnceThenClose).await, transport());
    call_at_once(&transport, &server.url(), 4).await;
    // Whether it is closed is seen only when the answer does not come.
    assert!(call(&transport, &server.url()).await.is_err());
    assert_eq!(call(&transport, &server.url()).await.unwrap(), 200);
    assert_eq!(server.connections()[5..], [4]);
}

#[tokio::test]
async fn one_silent_connection_is_enough_to_connect_again() {
    let (server, transport) = (Server::start(Answer::OnceThenSilence).await, transport());
    call_at_once(&transport, &server.url(), 4).await;
    let url = server.url();
    let mut attempt = Box::pin(transport.exchange(request(&url)));
    while server.connections().len() <= 4 {
        assert!(futures_util::poll!(&mut attempt).is_pending());
        tokio::task::yield_now().await;
    }
    // The attempt's time is over.
    drop(attempt);
    assert_eq!(call(&transport, &url).await.unwrap(), 200);
    assert_eq!(server.connections()[5..], [4]);
}

#[tokio::test]
async fn full_pool_drops_what_has_stood_longest() {
    let (first, other) = (
        Server::start(Answer::Status(200)).await,
        Server::start(Answer::Status(200)).await,
    );
    let transport = transport();
    call_at_once(&transport, &first.url(), 40).await;
    for _ in 0..2 {
        call(&transport, &other.url()).await.unwrap();
    }
    assert_eq!(other.connections(), [0, 0]);
}

#[tokio::test]
async fn failures_tell_whether_to_repeat_the_call() {
    let closing = Server::start(Answer::Close).await;
    let error = call(&transport(), &closing.url()).await.unwrap_err();
    assert!(error.is_io() || error.as_other().is_some(), "{error:?}");
    // Nobody listens on this port any more.
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let refused = call(&transport(), &format!("http://{address}/")).await;
    assert!(refused.unwrap_err().is_io());
    let relative = call(&transport(), "/path").await.unwrap_err();
    assert!(relative.is_user());
}

#[tokio::test]
async fn time_for_an_answer_is_bounded_if_the_caller_says_so() {
    let server = Server::start(Answer::Silence).await;
    let settings = HttpConnectorSettings::builder()
        .read_timeout(Duration::from_millis(1))
        .build();
    let parts = RuntimeComponentsBuilder::for_tests().build().unwrap();
    let connector = transport().http_connector(&settings, &parts);
    let answer = tokio::time::timeout(HANGS, connector.call(request(&server.url())));
    let error = answer.await.expect("the call ends").unwrap_err();
    assert!(error.is_timeout(), "{error:?}");
}

#[tokio::test]
async fn request_is_sent_with_path_and_host() {
    let server = Server::start(Answer::Status(200)).await;
    let url = format!("http://{}/a/b?c=d", server.address);
    call(&transport(), &url).await.unwrap();
    let seen = server.seen.lock().unwrap();
    let (_, request) = &seen[0];
    assert!(
        request.starts_with("POST /a/b?c=d HTTP/1.1\r\n"),
        "{request}"
    );
    let host = format!("\r\nhost: {}\r\n", server.address);
    assert!(request.contains(&host), "{request}");
}

#[test]
fn default_ports_are_left_out_of_the_host() {
    for (url, host, port) in [
        ("https://a.example/", "a.example", 443),
        ("https://a.example:443/", "a.example", 443),
        ("https://a.example:80/", "a.example:80", 80),
        ("http://a.example", "a.example", 80),
        ("http://[::1]:8000/", "[::1]:8000", 8000),
    ] {
        let request = request(url).try_into_http1x().unwrap();
        let (origin, request) = Origin::split(request).unwrap();
        assert_eq!(origin.port(), port);
        assert_eq!(request.headers()[HOST], host);
        assert_eq!(request.uri(), "/");
    }
}

#[tokio::test]
async fn server_must_have_a_certificate_that_is_trusted() {
    let CertifiedKey { cert, signing_key } =
        generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let key = PrivateKeyDer::try_from(signing_key.serialize_der()).unwrap();
    let ring = Arc::new(rustls::crypto::ring::default_provider());
    let settings = ServerConfig::builder_with_provider(Arc::clone(&ring))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![cert.der().clone()], key)
        .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(settings));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let server = Server::start(Answer::Status(200)).await;
    let running = server.clone();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            if let Ok(stream) = acceptor.accept(stream).await {
                tokio::spawn(running.clone().serve(0, stream, Answer::Status(200)));
            }
        }
    });
    let url = format!("https://localhost:{port}/");
    assert!(call(&transport(), &url).await.unwrap_err().is_io());
    let mut roots = rustls::RootCertStore::empty();
    roots.add(cert.der().clone()).unwrap();
    let trusting = ClientConfig::builder_with_provider(ring)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let trusting = Transport::new(trusting);
    assert_eq!(call(&trusting, &url).await.unwrap(), 200);
    let other_name = format!("https://127.0.0.1:{port}/");
    assert!(call(&trusting, &other_name).await.unwrap_err().is_io());
    assert_eq!(server.connections(), [0]);
}
