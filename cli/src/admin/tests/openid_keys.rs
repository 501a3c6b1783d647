use super::*;

#[tokio::test]
async fn new_key_of_id_tokens_is_published_before_it_signs() {
    let data = data();
    let admin = Admin::of_storage(&data.storage, false, None);
    let first = ask(&admin, "openid list-keys").await.unwrap();
    let first = first.as_array().unwrap();
    assert_eq!(first.len(), 1);
    assert_eq!(first[0]["current"], true);

    let begun = admin.clock.now();
    let rotated = ask(&admin, "openid rotate-key").await.unwrap();
    let [current, next] = rotated.as_array().unwrap().as_slice() else {
        panic!("{rotated}")
    };
    assert_eq!(current, &first[0]);
    assert_eq!(next["current"], false);
    let earliest = begun.plus(Duration::from_mins(10)).to_string();
    assert!(
        next["signsFrom"].as_str().unwrap() >= earliest.as_str(),
        "{next}"
    );
    let listed = ask(&admin, "openid list-keys").await.unwrap();
    assert_eq!(listed, rotated);

    let again = ask(&admin, "openid rotate-key").await.unwrap_err();
    assert!(matches!(again, AdminError::NextKeyWaits(_)), "{again}");
    let records = ask(&admin, "audit").await.unwrap();
    let records = records.as_array().unwrap();
    let [refused, made] = records.as_slice() else {
        panic!("{records:?}")
    };
    assert_eq!(made["keyId"], next["keyId"]);
    assert_eq!(refused["result"], "refused");
}
