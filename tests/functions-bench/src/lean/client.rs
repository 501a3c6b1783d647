//! A blocking client of AWS's services, and of receivers of webhooks.

use std::io::{self, Write as _};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

use super::sign::{CONTENT_TYPE, Signer, written};
use crate::http::Reader;

/// Where the services are, and whom they are trusted by.
#[derive(Clone, Debug)]
pub struct Endpoint {
    host: String,
    config: Arc<ClientConfig>,
}

impl Endpoint {
    /// Reads `AWS_ENDPOINT_URL` and `SSL_CERT_FILE`.
    ///
    /// # Errors
    /// Fails if one of them cannot be used.
    pub fn read() -> io::Result<Self> {
        let url = std::env::var("AWS_ENDPOINT_URL").map_err(io::Error::other)?;
        let host = url.strip_prefix("https://").unwrap_or(&url).to_owned();
        let file = std::env::var("SSL_CERT_FILE").map_err(io::Error::other)?;
        let mut roots = RootCertStore::empty();
        for root in CertificateDer::pem_file_iter(file).map_err(io::Error::other)? {
            let root = root.map_err(io::Error::other)?;
            roots.add(root).map_err(io::Error::other)?;
        }
        let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(io::Error::other)?
            .with_root_certificates(roots)
            .with_no_client_auth();
        let config = Arc::new(config);
        Ok(Self { host, config })
    }
}

/// A connection to one service.
pub struct Client {
    stream: StreamOwned<ClientConnection, TcpStream>,
    reader: Reader,
    host: String,
    signer: Signer,
}

impl Client {
    /// Connects to a service. The handshake happens with the first call.
    ///
    /// # Errors
    /// Fails if it does not listen, or there are no credentials.
    pub fn connect(endpoint: &Endpoint, service: &'static str) -> io::Result<Self> {
        let stream = TcpStream::connect(&endpoint.host)?;
        stream.set_nodelay(true)?;
        let (name, _) = endpoint
            .host
            .split_once(':')
            .unwrap_or((&endpoint.host, ""));
        let name = ServerName::try_from(name.to_owned()).map_err(io::Error::other)?;
        let connection = ClientConnection::new(Arc::clone(&endpoint.config), name);
        let connection = connection.map_err(io::Error::other)?;
        Ok(Self {
            stream: StreamOwned::new(connection, stream),
            reader: Reader::default(),
            host: endpoint.host.clone(),
            signer: Signer::new(service).map_err(io::Error::other)?,
        })
    }

    /// Makes a call, and returns the body of its answer.
    ///
    /// # Errors
    /// Fails if the connection ends, or the answer is not 200.
    pub fn call(&mut self, target: &str, body: &str) -> io::Result<Vec<u8>> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let time = written(now.unwrap_or_default().as_secs());
        let authorization = self.signer.authorization(&self.host, target, &time, body);
        let request = format!(
            "POST / HTTP/1.1\r\nhost: {}\r\ncontent-type: {CONTENT_TYPE}\r\nx-amz-date: {time}\r\n\
             x-amz-target: {target}\r\nauthorization: {authorization}\r\ncontent-length: {}\r\n\r\n{body}",
            self.host,
            body.len()
        );
        self.stream.write_all(request.as_bytes())?;
        self.stream.flush()?;
        answer(self.reader.read(&mut self.stream))
    }
}

/// Posts a webhook over a connection of its own, in plain text.
///
/// # Errors
/// Fails if the connection ends, or the answer is not 200.
pub fn post(url: &str, body: &str) -> io::Result<Vec<u8>> {
    let (host, path) = url
        .strip_prefix("http://")
        .and_then(|rest| rest.split_once('/'))
        .ok_or_else(|| io::Error::other("not a URL of loopback"))?;
    let mut stream = TcpStream::connect(host)?;
    stream.set_nodelay(true)?;
    let request = format!(
        "POST /{path} HTTP/1.1\r\nhost: {host}\r\ncontent-type: application/json\r\n\
         content-length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes())?;
    answer(Reader::default().read(&mut stream))
}

fn answer(read: Option<crate::http::Request>) -> io::Result<Vec<u8>> {
    let read = read.ok_or_else(|| io::Error::from(io::ErrorKind::UnexpectedEof))?;
    if read.line.contains(" 200 ") {
        Ok(read.body)
    } else {
        Err(io::Error::other(read.line))
    }
}
