//! A client of a service, with an app's API key.

use std::error::Error as _;
use std::path::Path;
use std::time::Duration;

use countersign_client::{Call, Countersign, Error};
use countersign_domain::app::api_key::PresentedApiKey;
use countersign_sdk::ServiceProblem;
use reqwest::{ClientBuilder, StatusCode};
use tokio::time::sleep;

use super::web;
use crate::admin::target;
use crate::args::ServiceArgs;
use crate::data_dir::DataDir;
use crate::demo::DemoFile;
use crate::failure::Failure;
use crate::input;

/// Reads the API key from the file in the options; `None` without that option and without a demo
/// app.
pub(super) fn api_key(
    args: &ServiceArgs,
    demo: Option<&DemoFile>,
) -> Result<Option<PresentedApiKey>, Failure> {
    let Some(file) = &args.api_key_file else {
        return Ok(demo.and_then(|demo| demo.api_key.parse().ok()));
    };
    let text = input::read_key(file)?;
    let key = text.trim().parse::<PresentedApiKey>();
    key.map(Some)
        .map_err(|error| Failure::because(file.display(), &error))
}

/// Reads the API key from the file in the options, or the demo app's.
pub(super) fn required_api_key(
    args: &ServiceArgs,
    data: &Path,
) -> Result<PresentedApiKey, Failure> {
    let key = api_key(args, demo(data).as_ref())?;
    key.ok_or_else(|| Failure::new("give the app's key with --api-key-file: there is no demo app"))
}

/// Returns the demo app of a data directory, if it has one.
pub(super) fn demo(data: &Path) -> Option<DemoFile> {
    let demo = DataDir::existing(data).and_then(|data| DemoFile::read(&data));
    demo.ok().flatten()
}

/// Returns the service's URL according to the options, without a trailing slash.
pub(super) async fn url(args: &ServiceArgs, data: &Path) -> Result<String, Failure> {
    match &args.service {
        Some(url) => Ok(url.to_string()),
        None => target::server_url(data).await,
    }
}

/// A caller that acts as an app's server.
pub(super) struct Caller {
    pub(super) client: Countersign,
    pub(super) url: String,
}

impl Caller {
    /// Creates a caller from the options.
    pub(super) async fn find(args: &ServiceArgs, data: &Path) -> Result<Self, Failure> {
        let key = required_api_key(args, data)?;
        Self::at(url(args, data).await?, &key)
    }

    /// Creates a caller for the service at a URL without a trailing slash.
    pub(super) fn at(url: String, key: &PresentedApiKey) -> Result<Self, Failure> {
        let client = Countersign::builder(&url, key.reveal())
            .allow_unencrypted_http()
            .http_client(ClientBuilder::no_proxy)
            .max_retries(1)
            .build();
        match client {
            Ok(client) => Ok(Self { client, url }),
            Err(error) => Err(Failure::because(
                format!("{url} gets no API key; name its https URL with --service"),
                &error,
            )),
        }
    }

    /// Calls the service repeatedly until the app's quota allows the call.
    pub(super) async fn within_quota<'a, T: 'a>(
        &self,
        call: impl Fn() -> Call<'a, T>,
    ) -> Result<T, Failure> {
        loop {
            let error = match call().await {
                Ok(answer) => return Ok(answer),
                Err(error) => error,
            };
            match &error {
                Error::Problem(problem) if problem.status == StatusCode::TOO_MANY_REQUESTS => {
                    sleep(problem.retry_after.unwrap_or(Duration::from_secs(1))).await;
                }
                _ => return Err(self.explain("the service refused", &error)),
            }
        }
    }

    /// Describes the attempted action and why it failed.
    pub(super) fn explain(&self, tried: &str, error: &Error) -> Failure {
        match error {
            Error::Problem(problem) => {
                let problem = ServiceProblem {
                    status: problem.status,
                    code: problem.code.clone(),
                    title: problem.title.clone().unwrap_or_default(),
                    detail: problem.detail.clone(),
                };
                web::refused(tried, &self.url, &problem)
            }
            Error::Connection(lost) => {
                let cause = lost.source().and_then(|cause| cause.downcast_ref());
                match (cause, lost.status) {
                    (Some(cause), _) => web::explain(&self.url, cause),
                    (None, Some(status)) => web::not_ours(&self.url, status),
                    (None, None) => Failure::because(tried, lost),
                }
            }
            error => Failure::because(tried, error),
        }
    }
}
