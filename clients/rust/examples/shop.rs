//! A shop that collects numbers, logs users in, and has payments approved. `tests/shop.rs` tests it as a shop's own
//! tests would: without a phone.
//!
//! ```sh
//! COUNTERSIGN_API_KEY=cs_live_… COUNTERSIGN_APP_KEY=cs_app_… COUNTERSIGN_WEBHOOK_SECRET=whsec_… cargo run --example shop
//! ```

#[path = "shop/app.rs"]
mod app;

use std::env;
use std::error::Error;
use std::net::SocketAddr;

use countersign_client::Countersign;
use tokio::net::TcpListener;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let service =
        env::var("COUNTERSIGN_URL").unwrap_or_else(|_| "http://127.0.0.1:8787".to_owned());
    let client = Countersign::builder(&service, env::var("COUNTERSIGN_API_KEY")?)
        .app_key(env::var("COUNTERSIGN_APP_KEY")?)
        .webhook_secret(env::var("COUNTERSIGN_WEBHOOK_SECRET")?)
        .build()?;
    let listener = TcpListener::bind("127.0.0.1:4000").await?;
    let origin = format!("http://{}", listener.local_addr()?);
    let places = app::Endpoints {
        webhook_url: format!("{origin}/webhook"),
        origin,
        service,
    };
    let shop = app::shop(&client, &places, &app::Tables::default())?;
    axum::serve(
        listener,
        shop.into_make_service_with_connect_info::<SocketAddr>(),
    )
    .await?;
    Ok(())
}
