//! The function `openid`: the `OpenID` provider with its page.

use std::process::ExitCode;

use countersign_api::functions;
use countersign_aws::bootstrap::{self, Bootstrap};
use countersign_aws::config::settings::OpenId;

fn main() -> ExitCode {
    bootstrap::run(async |bootstrap: Bootstrap, settings: OpenId| {
        bootstrap.load_phone_numbers();
        let store = bootstrap.store(settings.table);
        let published = settings.openid_published_key_arns.unwrap_or_default().0;
        let (issuer, secret) = (settings.public_url, settings.openid_secret);
        let openid = bootstrap.openid(&issuer, settings.openid_key_arn, published, &secret);
        let (openid, viewers) = (openid.await?, settings.origin_secret);
        let viewers = bootstrap.viewers(viewers.as_ref()).await?;
        let api = bootstrap.openid_api(&store, openid, &settings.socket_url, viewers);
        Ok(bootstrap.http(functions::openid(api.into())))
    })
}
