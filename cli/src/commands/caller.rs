//! A service, called with the API key of an app.

use std::path::Path;

use countersign_domain::app::api_key::PresentedApiKey;
use reqwest::{Client, Method, RequestBuilder};

use super::web;
use crate::admin::target;
use crate::args::ServiceArgs;
use crate::data_dir::DataDir;
use crate::demo::DemoFile;
use crate::failure::Failure;
use crate::input;

/// Reads the API key that the options name; `None` without such an option and without a demo app.
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

/// Returns the demo app of a data directory, if it has one.
pub(super) fn demo(data: &Path) -> Option<DemoFile> {
    let demo = DataDir::existing(data).and_then(|data| DemoFile::read(&data));
    demo.ok().flatten()
}

/// Returns the URL of the service that the options name, without a slash at its end.
pub(super) async fn url(args: &ServiceArgs, data: &Path) -> Result<String, Failure> {
    match &args.service {
        Some(url) => Ok(url.to_string()),
        None => target::server_url(data).await,
    }
}

/// An app's server.
pub(super) struct Caller {
    client: Client,
    pub(super) url: String,
    key: PresentedApiKey,
}

impl Caller {
    /// Finds service and key.
    pub(super) async fn find(args: &ServiceArgs, data: &Path) -> Result<Self, Failure> {
        let key = api_key(args, demo(data).as_ref())?;
        let key = key.ok_or_else(|| {
            Failure::new("give the app's key with --api-key-file: there is no demo app")
        })?;
        Ok(Self {
            client: web::client()?,
            url: url(args, data).await?,
            key,
        })
    }

    /// Begins a request.
    pub(super) fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let request = self.client.request(method, format!("{}{path}", self.url));
        request.header("x-api-key", self.key.reveal())
    }
}
