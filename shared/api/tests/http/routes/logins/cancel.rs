//! `DELETE /qr-sessions/{id}`.

use crate::host::Host;

#[tokio::test]
async fn cancelled_login_has_ended() {
    let host = Host::new().await;
    let opened = host.confirmed().await;
    let answer = host.browser("DELETE", &opened, "").await;
    assert_eq!(answer.status, 204);
    assert!(answer.body.is_empty());
    assert_eq!(host.state_of(&opened).await, "cancelled");
    let redeemed = host.browser("POST", &opened, "/redeem").await;
    assert_eq!(redeemed.code(), "session_cancelled");
    let again = host.browser("DELETE", &opened, "").await;
    assert_eq!(again.code(), "session_cancelled");
}
