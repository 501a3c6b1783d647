//! Calls of services that speak AWS JSON: DynamoDB, KMS, SQS, Secrets Manager and the Parameter Store.
//!
//! The crates of these services have hundreds of operations, of which a dozen are called here, and took
//! longer to compile than all of ours. The calls run in the SDK's own runtime, with its retries, time limits and
//! credentials. See docs/adr/0090-aws-json-without-a-crate-for-each-service.md.
//!
//! Source: "AWS JSON 1.0 protocol" and "AWS JSON 1.1 protocol", Smithy 2.0 specification.

mod endpoint;
mod failure;

use std::fmt;

use aws_runtime::auth::SigV4OperationSigningConfig;
use aws_runtime::auth::sigv4::SCHEME_ID;
use aws_runtime::retries::classifiers::{AwsErrorCodeClassifier, TRANSIENT_ERRORS};
use aws_smithy_runtime::client::orchestrator::operation::Operation;
use aws_smithy_runtime::client::retries::classifiers::{
    HttpStatusCodeClassifier, TransientErrorClassifier,
};
use aws_smithy_runtime_api::box_error::BoxError;
use aws_smithy_runtime_api::client::auth::static_resolver::StaticAuthSchemeOptionResolver;
use aws_smithy_runtime_api::client::auth::{AuthSchemeOptionResolverParams, SharedAuthScheme};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse, OrchestratorError};
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponentsBuilder;
use aws_smithy_runtime_api::client::runtime_plugin::StaticRuntimePlugin;
use aws_smithy_types::body::SdkBody;
use aws_smithy_types::config_bag::Layer;
use aws_smithy_types::retry::RetryConfig;
use aws_smithy_types::timeout::TimeoutConfig;
use aws_types::region::SigningRegion;
use aws_types::{SdkConfig, SigningName};
use http::header::{CONTENT_TYPE, USER_AGENT};
use http::{HeaderName, Request};
use serde::Serialize;
use serde::de::DeserializeOwned;

pub use self::failure::{CallError, Refusal};
use super::signing::KeptKeyScheme;

/// The header that names the operation.
const TARGET: HeaderName = HeaderName::from_static("x-amz-target");

/// The value of `User-Agent`.
const AGENT: &str = concat!("Countersign/", env!("CARGO_PKG_VERSION"));

/// The refusal of a write to an item of a global table that another region is writing. A repeated write
/// can succeed.
const REPLICAS_CONFLICT: &str = "ReplicatedWriteConflictException";

/// A service, as its requests name it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Service {
    /// In the host and in signatures.
    name: &'static str,
    /// In settings, for an endpoint of its own.
    id: &'static str,
    /// Before the operation in the header `x-amz-target`.
    target: &'static str,
    media_type: &'static str,
}

pub(super) const DYNAMODB: Service = Service {
    name: "dynamodb",
    id: "DynamoDB",
    target: "DynamoDB_20120810",
    media_type: "application/x-amz-json-1.0",
};
pub(super) const KMS: Service = Service {
    name: "kms",
    id: "KMS",
    target: "TrentService",
    media_type: "application/x-amz-json-1.1",
};
pub(super) const SQS: Service = Service {
    name: "sqs",
    id: "SQS",
    target: "AmazonSQS",
    media_type: "application/x-amz-json-1.0",
};
pub(super) const SECRETS_MANAGER: Service = Service {
    name: "secretsmanager",
    id: "Secrets Manager",
    target: "secretsmanager",
    media_type: "application/x-amz-json-1.1",
};
pub(super) const PARAMETER_STORE: Service = Service {
    name: "ssm",
    id: "SSM",
    target: "AmazonSSM",
    media_type: "application/x-amz-json-1.1",
};

/// A client of a service that speaks AWS JSON.
#[derive(Clone)]
pub struct JsonClient {
    service: Service,
    operation: Operation<Call, Answer, Refusal>,
}

impl JsonClient {
    pub(super) fn new(service: Service, sdk: &SdkConfig) -> Self {
        let retries = sdk.retry_config().cloned();
        let limits = sdk.timeout_config().cloned();
        let codes = AwsErrorCodeClassifier::<Refusal>::builder()
            .transient_errors([TRANSIENT_ERRORS, &[REPLICAS_CONFLICT]].concat());
        let mut operation = Operation::builder()
            .service_name(service.name)
            .operation_name(service.target)
            .endpoint_url(&endpoint::of(service, sdk))
            .standard_retry(&retries.unwrap_or_else(RetryConfig::standard))
            .retry_classifier(HttpStatusCodeClassifier::default())
            .retry_classifier(TransientErrorClassifier::<Refusal>::new())
            .retry_classifier(codes.build())
            .timeout_config(limits.unwrap_or_else(TimeoutConfig::disabled))
            .runtime_plugin(signed(service, sdk))
            .serializer(move |call: Call| call.request(service))
            .deserializer(answer);
        if let Some(version) = sdk.behavior_version() {
            operation = operation.behavior_version(version);
        }
        if let Some(client) = sdk.http_client() {
            operation = operation.http_client(client);
        }
        if let Some(sleep) = sdk.sleep_impl() {
            operation = operation.sleep_impl(sleep);
        }
        if let Some(protection) = sdk.stalled_stream_protection() {
            operation = operation.stalled_stream_protection(protection);
        }
        Self {
            service,
            operation: operation.build(),
        }
    }

    /// Calls an operation and reads its answer.
    ///
    /// # Errors
    /// Fails if the service refuses the call, does not answer in time, or answers something else.
    pub(crate) async fn call<T: DeserializeOwned>(
        &self,
        operation: &'static str,
        input: &(impl Serialize + Sync),
    ) -> Result<T, CallError> {
        let body = serde_json::to_string(input).map_err(CallError::of_input)?;
        let answered = self.operation.invoke(Call { operation, body }).await;
        let Answer(answer) = answered.map_err(CallError::of_call)?;
        serde_json::from_slice(&answer).map_err(|_| CallError::Unreadable)
    }
}

impl fmt::Debug for JsonClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("JsonClient")
            .field(&self.service.name)
            .finish()
    }
}

/// What signs the calls of a service: its name, the region and the credentials.
fn signed(service: Service, sdk: &SdkConfig) -> StaticRuntimePlugin {
    let mut config = Layer::new("signed");
    config.store_put(AuthSchemeOptionResolverParams::new(()));
    config.store_put(SigV4OperationSigningConfig::default());
    config.store_put(SigningName::from_static(service.name));
    if let Some(region) = sdk.region() {
        config.store_put(SigningRegion::from(region.clone()));
    }
    let options = StaticAuthSchemeOptionResolver::new(vec![SCHEME_ID]);
    let mut components = RuntimeComponentsBuilder::new("signed")
        .with_auth_scheme(SharedAuthScheme::new(KeptKeyScheme::default()))
        .with_auth_scheme_option_resolver(Some(options));
    components.set_identity_cache(sdk.identity_cache());
    components.set_time_source(sdk.time_source());
    if let Some(credentials) = sdk.credentials_provider() {
        components.set_identity_resolver(SCHEME_ID, credentials);
    }
    StaticRuntimePlugin::new()
        .with_config(config.freeze())
        .with_runtime_components(components)
}

/// A call. Its body may hold a secret.
struct Call {
    operation: &'static str,
    body: String,
}

impl Call {
    fn request(self, service: Service) -> Result<HttpRequest, BoxError> {
        let request = Request::post("/")
            .header(CONTENT_TYPE, service.media_type)
            .header(TARGET, format!("{}.{}", service.target, self.operation))
            .header(USER_AGENT, AGENT)
            .body(SdkBody::from(self.body))?;
        Ok(HttpRequest::try_from(request)?)
    }
}

impl fmt::Debug for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Call").field(&self.operation).finish()
    }
}

/// The body of an answer, which may be a secret.
struct Answer(Vec<u8>);

impl fmt::Debug for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Answer")
    }
}

fn answer(response: &HttpResponse) -> Result<Answer, OrchestratorError<Refusal>> {
    let body = response.body().bytes();
    let body = body.ok_or_else(|| OrchestratorError::other("the response was not read"))?;
    if response.status().is_success() {
        Ok(Answer(body.to_vec()))
    } else {
        let refusal = Refusal::read(response.headers(), body);
        Err(OrchestratorError::operation(refusal))
    }
}
