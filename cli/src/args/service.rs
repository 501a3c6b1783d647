//! The options that select the service and the API key with which a command calls it.

use std::path::PathBuf;

use clap::Args;

use crate::server_address::PublicUrl;

#[derive(Clone, Debug, Args)]
pub(crate) struct ServiceArgs {
    /// The service, if not the running server
    #[arg(long, global = true, value_name = "URL")]
    pub(crate) service: Option<PublicUrl>,
    /// The file with an API key of the app, if not the demo app's
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) api_key_file: Option<PathBuf>,
}
