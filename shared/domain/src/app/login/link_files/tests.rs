use serde_json::json;

use super::*;

const OTHER: &str = "com.example.bank";

fn fingerprint(pair: &str) -> String {
    vec![pair; 32].join(":")
}

fn android() -> AndroidApp {
    AndroidApp {
        package: "com.example.shop".parse().unwrap(),
        fingerprints: ["AB", "CD"]
            .map(|pair| fingerprint(pair).parse().unwrap())
            .to_vec(),
    }
}

fn statement(package: &str, fingerprints: &[String]) -> Value {
    json!({
        "relation": ["delegate_permission/common.get_login_creds", HANDLE_ALL_URLS],
        "target": {
            "namespace": "android_app",
            "package_name": package,
            "sha256_cert_fingerprints": fingerprints,
        },
    })
}

fn checked(file: &Value) -> Result<(), LinkFileFault> {
    check_asset_links(file.to_string().as_bytes(), &[android()])
}

#[test]
fn statements_may_be_split_and_others_are_ignored() {
    let (one, two) = (fingerprint("AB"), fingerprint("CD"));
    let shop = "com.example.shop";
    assert_eq!(
        checked(&json!([statement(shop, &[two.clone(), one.clone()])])),
        Ok(())
    );
    let split = json!([
        {"relation": ["x"]}, 1, null,
        statement(OTHER, &[fingerprint("EF")]),
        statement(shop, &[one]),
        statement(shop, &[two]),
    ]);
    assert_eq!(checked(&split), Ok(()));
    assert_eq!(check_asset_links(b"[]", &[]), Ok(()));
}

#[test]
fn asset_links_without_the_app_or_its_certificates_are_faulty() {
    let (one, two) = (fingerprint("AB"), fingerprint("CD"));
    let shop = "com.example.shop";
    let package = shop.to_owned();
    let missing = LinkFileFault::AppMissing(package.clone());
    let mut web = statement(shop, &[one.clone(), two.clone()]);
    web["target"]["namespace"] = json!("web");
    let mut login_only = statement(shop, &[one.clone(), two.clone()]);
    login_only["relation"] = json!(["delegate_permission/common.get_login_creds"]);
    for (file, expected) in [
        (json!({}), LinkFileFault::NoStatements),
        (json!([]), missing.clone()),
        (
            json!([statement(OTHER, &[one.clone(), two.clone()])]),
            missing.clone(),
        ),
        (json!([web]), missing.clone()),
        (json!([login_only]), missing),
        (
            json!([statement(shop, std::slice::from_ref(&one))]),
            LinkFileFault::CertificateMissing {
                package: package.clone(),
                fingerprint: two.clone(),
            },
        ),
        (
            json!([statement(shop, &[one.to_lowercase(), two.clone()])]),
            LinkFileFault::OtherForm {
                package: package.clone(),
                fingerprint: one.clone(),
            },
        ),
        (
            json!([statement(shop, &[one.replace(':', ""), two])]),
            LinkFileFault::OtherForm {
                package,
                fingerprint: one,
            },
        ),
    ] {
        assert_eq!(checked(&file), Err(expected), "{file}");
    }
    let page = check_asset_links(b"<!doctype html>", &[android()]);
    assert_eq!(page, Err(LinkFileFault::NoStatements));
}

fn associated(entry: &Value) -> Result<(), LinkFileFault> {
    let file = json!({ "applinks": { "details": [entry] } });
    let app = "ABCDE12345.com.example.shop".parse().unwrap();
    check_site_association(file.to_string().as_bytes(), &[app])
}

const IOS: &str = "ABCDE12345.com.example.shop";

#[test]
fn first_matching_pattern_decides() {
    let not_covered = Err(LinkFileFault::LinkNotCovered(IOS.to_owned()));
    for (components, expected) in [
        (json!([{"/": "/", "?": {"sessionId": "?*"}}]), Ok(())),
        (json!([{"/": "*"}]), Ok(())),
        (json!([{"/": "/*", "comment": "all"}]), Ok(())),
        (json!([{}]), Ok(())),
        (json!([{"?": "sessionId=*"}]), Ok(())),
        (
            json!([{"?": {"sessionId": "qrs_????????????????????????????????"}}]),
            Ok(()),
        ),
        (
            json!([{"/": "/admin/*", "exclude": true}, {"/": "*"}]),
            Ok(()),
        ),
        (
            json!([{"/": "*", "exclude": true}, {"/": "/"}]),
            not_covered.clone(),
        ),
        (json!([{"/": "/login/*"}]), not_covered.clone()),
        (json!([{"/": "/?*"}]), not_covered.clone()),
        (
            json!([{"?": {"sessionId": "?*", "lang": "*"}}]),
            not_covered.clone(),
        ),
        (json!([{"#": "?*"}]), not_covered.clone()),
        (json!([{"/": 1}]), not_covered.clone()),
        (json!([]), not_covered.clone()),
    ] {
        let entry = json!({ "appIDs": ["X", IOS], "components": components });
        assert_eq!(associated(&entry), expected, "{components}");
    }
    for (paths, expected) in [
        (json!(["*"]), Ok(())),
        (json!(["NOT /a", "/"]), Ok(())),
        (json!(["NOT *", "/"]), not_covered.clone()),
        (json!(["/a"]), not_covered),
    ] {
        let entry = json!({ "appID": IOS, "paths": paths });
        assert_eq!(associated(&entry), expected, "{paths}");
    }
}

#[test]
fn pattern_of_many_stars_takes_no_time() {
    let hostile = format!("{}x", "*0".repeat(5_000));
    assert!(!fits(&hostile, &"0".repeat(2_000)));
    assert!(fits(&"*".repeat(5_000), ""));
    for (pattern, text, expected) in [
        ("a*b?", "a-b-bc", true),
        ("a*b?", "a-b-b", false),
        ("a*b?", "ab", false),
        ("", "", true),
        ("", "a", false),
        ("?", "ä", true),
    ] {
        assert_eq!(fits(pattern, text), expected, "{pattern} {text}");
    }
}

#[test]
fn association_without_the_app_is_faulty() {
    let missing = LinkFileFault::AppMissing(IOS.to_owned());
    let entry = json!({ "appIDs": ["ABCDE12345.com.example"], "components": [{}] });
    assert_eq!(associated(&entry), Err(missing));
    let app = [IOS.parse().unwrap()];
    for file in ["", "{}", "[]", "<html>", r#"{"applinks": {"details": 1}}"#] {
        let read = check_site_association(file.as_bytes(), &app);
        assert_eq!(read, Err(LinkFileFault::NoDetails), "{file}");
    }
    let own = br#"{"applinks":{"details":[]}}"#;
    assert_eq!(check_site_association(own, &[]), Ok(()));
}
