//! `GET /widget.js`.

use crate::host::{Answer, Host, asked};

async fn get(host: &Host, path: &str, name: &str) -> Answer {
    host.send(asked("GET", path, &[("host", name)], None)).await
}

#[tokio::test]
async fn any_page_may_load_the_login_element() {
    let host = Host::new().await;
    let file = get(&host, "/widget.js", "any.example").await;
    let kind = file.header("content-type");
    assert_eq!(kind, Some("text/javascript; charset=utf-8"));
    let expected = [
        ("access-control-allow-origin", "*"),
        ("cross-origin-resource-policy", "cross-origin"),
        ("cache-control", "public, max-age=300"),
    ];
    for (name, value) in expected {
        assert_eq!(file.header(name), Some(value), "{name}");
    }
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../clients/widget/dist/widget.js"
    );
    assert_eq!(file.body, std::fs::read(path).unwrap());
    let tag = file.header("etag").unwrap();
    let headers = [("if-none-match", tag)];
    let again = host.send(asked("GET", "/widget.js", &headers, None)).await;
    assert_eq!(again.status, 304);
    assert_eq!(again.header("etag"), Some(tag));
    for (name, value) in expected {
        assert_eq!(again.header(name), Some(value), "{name}");
    }
    let headers = [("if-none-match", "\"older\"")];
    let newer = host.send(asked("GET", "/widget.js", &headers, None)).await;
    assert_eq!(newer.body, file.body);
}

#[tokio::test]
async fn script_finds_its_parts() {
    let host = Host::new().await;
    let built = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../clients/widget/dist/widget"
    );
    let script = get(&host, "/widget.js", "any.example").await;
    for entry in std::fs::read_dir(built).unwrap() {
        let entry = entry.unwrap();
        let path = format!("/widget/{}", entry.file_name().to_str().unwrap());
        let file = get(&host, &path, "any.example").await;
        assert_eq!(file.body, std::fs::read(entry.path()).unwrap(), "{path}");
        assert_eq!(file.header("access-control-allow-origin"), Some("*"));
        // Pages load these themselves.
        if ["/widget/setup.js", "/widget/integrity.json"].contains(&path.as_str()) {
            continue;
        }
        let named = String::from_utf8_lossy(&script.body);
        assert!(named.contains(&format!(".{path}")), "{path}");
    }
    let none = get(&host, "/widget/xx.js", "any.example").await;
    assert_eq!(none.code(), "not_found");
}

#[tokio::test]
async fn login_element_is_compressed_if_accepted() {
    let host = Host::new().await;
    let plain = get(&host, "/widget.js", "any.example").await;
    assert_eq!(plain.header("vary"), Some("Accept-Encoding"));
    let ask = async |accepted: &str| {
        let headers = [("accept-encoding", accepted)];
        host.send(asked("GET", "/widget.js", &headers, None)).await
    };
    for accepted in ["gzip", "br, GZIP;q=0.5", "deflate,gzip;q=1.0"] {
        let packed = ask(accepted).await;
        assert_eq!(
            packed.header("content-encoding"),
            Some("gzip"),
            "{accepted}"
        );
        assert_eq!(packed.header("vary"), Some("Accept-Encoding"));
        assert!(packed.body.len() < 30_000, "{}", packed.body.len());
        let mut unpacked = Vec::new();
        let mut decoder = flate2::read::GzDecoder::new(&*packed.body);
        std::io::Read::read_to_end(&mut decoder, &mut unpacked).unwrap();
        assert_eq!(unpacked, plain.body);
        let tag = packed.header("etag").unwrap();
        assert_ne!(Some(tag), plain.header("etag"));
        let headers = [("accept-encoding", accepted), ("if-none-match", tag)];
        let again = host.send(asked("GET", "/widget.js", &headers, None)).await;
        assert_eq!(again.status, 304);
    }
    for accepted in ["", "br", "gzip;q=0", "gzip; q=0.000", "x-gzip", "identity"] {
        let packed = ask(accepted).await;
        assert_eq!(packed.header("content-encoding"), None, "{accepted}");
        assert_eq!(packed.body, plain.body);
    }
}
