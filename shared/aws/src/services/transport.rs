//! The HTTP client of the SDK: HTTP/1.1 over TLS, with connections that are kept.
//!
//! The SDK's own client brings HTTP/2, which no service here needs, and several layers around each call. See
//! docs/adr/0089-the-sdk-calls-over-our-own-connections.md.

mod failure;
mod kept;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use aws_smithy_types::body::SdkBody;
use http::header::HOST;
use http::uri::{Authority, Scheme};
use http::{HeaderValue, Request, Response, Uri};
use hyper::body::Incoming;
use hyper::client::conn::http1::{self, SendRequest};
use hyper_util::rt::TokioIo;
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

use self::kept::{Connections, KeptBody};

/// Longest time to connect, if the SDK sets none.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);

/// A client for all services. Clones share its connections.
#[derive(Clone)]
pub(super) struct Transport {
    tls: Arc<ClientConfig>,
    kept: Connections,
    connect_timeout: Duration,
    /// Longest time until an answer begins, if the SDK sets one. The clients here bound each attempt
    /// instead; that of the instance's credentials bounds this.
    read_timeout: Option<Duration>,
}

impl Transport {
    /// Connects with these TLS settings.
    pub(super) fn new(tls: ClientConfig) -> Self {
        Self {
            tls: Arc::new(tls),
            kept: Connections::default(),
            connect_timeout: CONNECT_TIMEOUT,
            read_timeout: None,
        }
    }

    async fn exchange(&self, request: HttpRequest) -> Result<HttpResponse, ConnectorError> {
        let request = request.try_into_http1x().map_err(failure::of_request)?;
        let (origin, mut request) = Origin::split(request)?;
        // A connection that the service closed in the meantime gives the request back.
        while let Some(mut connection) = self.kept.take(&origin) {
            if connection.ready().await.is_err() {
                continue;
            }
            let doubt = self.kept.doubt(&origin);
            match connection.try_send_request(request).await {
                Ok(response) => {
                    doubt.dispel();
                    return self.response(origin, connection, response);
                }
                Err(mut error) => match error.take_message() {
                    Some(unsent) => {
                        doubt.dispel();
                        request = unsent;
                    }
                    None => return Err(failure::of_exchange(error.into_error())),
                },
            }
        }
        let connecting = tokio::time::timeout(self.connect_timeout, self.connect(&origin));
        let mut connection = connecting.await.map_err(failure::of_timeout)??;
        let response = connection.send_request(request).await;
        let response = response.map_err(failure::of_exchange)?;
        self.response(origin, connection, response)
    }

    /// Returns the response. The connection is kept once its body was read, unless the service has a
    /// trouble that another of its hosts may not have.
    fn response(
        &self,
        origin: Origin,
        connection: SendRequest<SdkBody>,
        response: Response<Incoming>,
    ) -> Result<HttpResponse, ConnectorError> {
        let keep = !response.status().is_server_error();
        let place = keep.then(|| self.kept.place(origin, connection));
        let response = response.map(|body| SdkBody::from_body_1_x(KeptBody::new(body, place)));
        HttpResponse::try_from(response).map_err(failure::of_request)
    }

    async fn connect(&self, origin: &Origin) -> Result<SendRequest<SdkBody>, ConnectorError> {
        let host = origin.authority.host();
        let host = host.trim_start_matches('[').trim_end_matches(']');
        let stream = TcpStream::connect((host, origin.port())).await;
        let stream = stream.map_err(failure::of_connection)?;
        stream.set_nodelay(true).map_err(failure::of_connection)?;
        if !origin.is_secure {
            return start(stream).await;
        }
        let name = ServerName::try_from(host.to_owned()).map_err(failure::of_request)?;
        let connector = TlsConnector::from(Arc::clone(&self.tls));
        let stream = connector.connect(name, stream).await;
        start(stream.map_err(failure::of_connection)?).await
    }
}

/// Speaks HTTP/1.1 over a stream.
async fn start<S>(stream: S) -> Result<SendRequest<SdkBody>, ConnectorError>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let (connection, driver) = http1::handshake(TokioIo::new(stream))
        .await
        .map_err(failure::of_exchange)?;
    // Its error is that of the request, or that of a connection that nobody uses.
    tokio::spawn(async move {
        let _ = driver.await;
    });
    Ok(connection)
}

/// What a connection leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Origin {
    is_secure: bool,
    authority: Authority,
}

impl Origin {
    /// Splits a request into where it goes, and the form in which it is sent there: with the path alone,
    /// and the host as a header.
    fn split(mut request: Request<SdkBody>) -> Result<(Self, Request<SdkBody>), ConnectorError> {
        let uri = std::mem::take(request.uri_mut()).into_parts();
        let (Some(scheme), Some(authority)) = (uri.scheme, uri.authority) else {
            return Err(failure::of_request("the URL has no scheme or no host"));
        };
        let origin = Self {
            is_secure: scheme == Scheme::HTTPS,
            authority,
        };
        // The URI that was taken left `/` behind.
        if let Some(path) = uri.path_and_query {
            *request.uri_mut() = Uri::from(path);
        }
        if !request.headers().contains_key(HOST) {
            let host = HeaderValue::from_str(origin.host()).map_err(failure::of_request)?;
            request.headers_mut().insert(HOST, host);
        }
        Ok((origin, request))
    }

    fn default_port(&self) -> u16 {
        if self.is_secure { 443 } else { 80 }
    }

    fn port(&self) -> u16 {
        let named = self.authority.port_u16();
        named.unwrap_or_else(|| self.default_port())
    }

    /// Returns the value of the header `host`, which is signed: without a default port.
    fn host(&self) -> &str {
        if self.port() == self.default_port() {
            self.authority.host()
        } else {
            self.authority.as_str()
        }
    }
}

impl HttpConnector for Transport {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let transport = self.clone();
        HttpConnectorFuture::new(async move {
            let exchange = transport.exchange(request);
            match transport.read_timeout {
                Some(limit) => tokio::time::timeout(limit, exchange)
                    .await
                    .unwrap_or_else(|elapsed| Err(failure::of_timeout(elapsed))),
                None => exchange.await,
            }
        })
    }
}

impl HttpClient for Transport {
    fn http_connector(
        &self,
        settings: &HttpConnectorSettings,
        _: &RuntimeComponents,
    ) -> SharedHttpConnector {
        SharedHttpConnector::new(Self {
            connect_timeout: settings.connect_timeout().unwrap_or(CONNECT_TIMEOUT),
            read_timeout: settings.read_timeout(),
            ..self.clone()
        })
    }
}

impl fmt::Debug for Transport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Transport")
    }
}
