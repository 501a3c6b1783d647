//! `countersign webhook verify`.

use std::path::Path;
use std::process::ExitCode;

use serde_json::json;

use super::super::web;
use super::listen::MAX_BODY;
use crate::args::{Output, VerifyArgs};
use crate::failure::Failure;
use crate::input;
use crate::published_keys::PublishedKeys;
use crate::terminal::print;

/// Checks whether a signature belongs to a body; fails if it does not.
pub(crate) async fn verify(
    data: &Path,
    args: &VerifyArgs,
    output: Output,
) -> Result<ExitCode, Failure> {
    let body = input::read(&args.body, MAX_BODY)?;
    let keys = if let Some(path) = &args.key {
        let pem = input::read_key(path)?;
        PublishedKeys::from_pem(&pem).map_err(|error| Failure::because(path.display(), &error))?
    } else {
        let url = super::server(data, args.url.as_ref()).await?;
        web::published_keys(&web::client()?, &url).await?
    };
    let verdict = keys.verify(&body, &args.signature, None);
    if output.json {
        print(&json!({ "valid": verdict.is_valid(), "verdict": verdict.to_string() }).to_string())?;
    } else {
        print(&format!("signature {verdict}"))?;
    }
    if verdict.is_valid() {
        return Ok(ExitCode::SUCCESS);
    }
    if body.ends_with(b"\n") {
        return Err(Failure::new(
            "the body ends with a line break, which no webhook does: did an editor add it?",
        ));
    }
    Ok(ExitCode::FAILURE)
}
