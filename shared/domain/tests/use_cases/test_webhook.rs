use countersign_domain::use_cases::test_webhook::TestWebhookError;

use crate::world::World;

#[test]
fn test_webhook_is_signed_and_belongs_to_no_confirmation() {
    let world = World::new();
    let sent = world
        .send_test(&world.app, Some(World::url("https://shop.example/hook")))
        .unwrap();
    assert!(sent.webhook_id.as_str().starts_with("msg_test_"));
    let arrived = &world.receiver.arrived()[0];
    let none = "cfm_00000000000000000000000000000000";
    assert!(arrived.body.contains(none) && arrived.body.contains(r#""metadata":{"test":"true"}"#));
}

#[test]
fn test_webhook_goes_only_to_allowed_origins() {
    use countersign_domain::web::callback_url::CallbackOrigin;
    let mut world = World::new();
    assert!(matches!(
        world.send_test(&world.app, None),
        Err(TestWebhookError::NoCallback)
    ));
    world.app.callback_origins = vec![CallbackOrigin::from_url(&World::url(
        "https://shop.example/",
    ))];
    let elsewhere = world.send_test(&world.app, Some(World::url("https://elsewhere.example/")));
    assert!(matches!(
        elsewhere,
        Err(TestWebhookError::CallbackOriginNotAllowed)
    ));
    assert!(world.receiver.arrived().is_empty());
}
