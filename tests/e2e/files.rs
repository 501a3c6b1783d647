//! Files that are moved, removed, replaced or modified while the server is running. The server notices,
//! refuses writes and says why; after the next start, everything that it acknowledged is there.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::support::{Answer, Http, Server, count_of, countersign, data_dir, until};

const STORE: &str = "countersign.db";

/// A change to a file or to the directory.
type Change = fn(&Path);

fn aside(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap().to_owned();
    name.push(".aside");
    path.with_file_name(name)
}

fn remove(path: &Path) {
    if path.is_dir() {
        fs::remove_dir_all(path).unwrap();
    } else {
        fs::remove_file(path).unwrap();
    }
}

fn set_aside(path: &Path) {
    fs::rename(path, aside(path)).unwrap();
}

/// Replaces the file with a copy, as a restore of single files does.
fn replace(path: &Path) {
    set_aside(path);
    fs::copy(aside(path), path).unwrap();
    fs::set_permissions(path, Permissions::from_mode(0o600)).unwrap();
}

fn link(path: &Path) {
    set_aside(path);
    symlink(aside(path), path).unwrap();
}

fn open_to_others(path: &Path) {
    let mode = fs::metadata(path).unwrap().permissions().mode();
    fs::set_permissions(path, Permissions::from_mode(mode | 0o044)).unwrap();
}

fn close_to_others(path: &Path) {
    let mode = fs::metadata(path).unwrap().permissions().mode();
    fs::set_permissions(path, Permissions::from_mode(mode & 0o700)).unwrap();
}

/// Moves a file or directory back that was set aside.
fn put_back(path: &Path) {
    if path.symlink_metadata().is_ok() {
        remove(path);
    }
    fs::rename(aside(path), path).unwrap();
}

struct Running {
    server: Server,
    data: PathBuf,
    _folder: tempfile::TempDir,
}

fn running() -> Running {
    let folder = data_dir();
    let data = folder.path().join("data");
    Running {
        server: Server::start(&data),
        data,
        _folder: folder,
    }
}

impl Running {
    /// Returns the path of a file, or of the directory if the name is empty.
    fn file(&self, name: &str) -> PathBuf {
        self.data.join(name).components().collect()
    }

    async fn start(&self) -> Answer {
        let request = json!({"callbackUrl": "http://127.0.0.1:9/"});
        let caller = self.server.caller();
        caller.post("/acquire-phone-number", &request).await
    }

    async fn health(&self) -> Answer {
        Http::new(&self.server.facts.url).get("/healthz").await
    }

    /// Waits until the server reports the change to this file.
    async fn notices(&self, name: &str) {
        let what = if name.is_empty() {
            "the data directory"
        } else {
            name
        };
        let ill = until("health to name the change", async || {
            let health = self.health().await;
            let detail = health.json()["detail"].as_str().map(str::to_owned);
            detail
                .is_some_and(|detail| detail.contains(what))
                .then_some(health)
        })
        .await;
        assert_eq!(ill.problem(503), "storage_not_writable", "{name}");
    }

    async fn is_well_again(&self) {
        until("the server to accept writes again", async || {
            (self.health().await.status == 200).then_some(())
        })
        .await;
        assert_eq!(self.start().await.status, 200);
    }

    async fn logged(&self, words: &str) {
        until(words, async || {
            let log = fs::read_to_string(Server::log_of(&self.data)).unwrap();
            log.contains(words).then_some(())
        })
        .await;
    }
}

/// The server checks the store on every write, so it notices without any delay.
#[tokio::test(flavor = "multi_thread")]
async fn no_write_is_acknowledged_once_the_store_is_not_in_its_place() {
    let changes: [(&str, Change); 9] = [
        (STORE, remove),
        (STORE, replace),
        (STORE, link),
        ("countersign.db-wal", remove),
        ("countersign.db-wal", replace),
        ("countersign.db-shm", remove),
        ("", remove),
        ("", set_aside),
        ("", link),
    ];
    for (name, change) in changes {
        let running = running();
        assert_eq!(running.start().await.status, 200);
        change(&running.file(name));
        for _ in 0..5 {
            let refused = running.start().await;
            assert_eq!(refused.status, 503, "{name}: {refused:?}");
            assert!(refused.json()["detail"].is_null(), "{name}: {refused:?}");
        }
        running.notices(name).await;
        running.logged("refuses writes until").await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn change_of_another_file_is_noticed_within_seconds() {
    let changes: [(&str, Change); 11] = [
        ("lock", remove),
        ("lock", replace),
        ("webhook-secret", remove),
        ("inbound-secret", remove),
        ("signing-keys", remove),
        ("signing-keys", set_aside),
        ("signing-keys/current", remove),
        ("providers.json", remove),
        ("", open_to_others),
        (STORE, open_to_others),
        ("webhook-secret", |path| {
            fs::write(
                path,
                "another secret of thirty-two characters".replace(' ', "-"),
            )
            .unwrap();
        }),
    ];
    for (name, change) in changes {
        let running = running();
        let data = &running.data;
        let added = countersign(data, &["provider", "add", "sinch", "--generate"]);
        assert!(added.status.success(), "{added:?}");
        change(&running.file(name));
        running.notices(name).await;
        assert_eq!(running.start().await.problem(503), "storage_not_writable");
        running.logged("refuses writes until").await;
        if name == "lock" {
            assert_eq!(count_of(data, "files_changed"), 1);
        }
        // Existing confirmations can still be read.
        let list = running.server.caller().get("/confirmations").await;
        assert_eq!(list.status, 200, "{name}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn writes_are_accepted_again_once_everything_is_as_it_was() {
    let changes: [(&str, Change, Change); 6] = [
        ("", set_aside, put_back),
        (STORE, set_aside, put_back),
        ("lock", replace, put_back),
        ("webhook-secret", set_aside, put_back),
        ("signing-keys", set_aside, put_back),
        ("", open_to_others, close_to_others),
    ];
    for (name, change, undo) in changes {
        let running = running();
        let path = running.file(name);
        change(&path);
        running.notices(name).await;
        undo(&path);
        running.is_well_again().await;
        assert!(running.server.terminate().success(), "{name}");
        let server = Server::start(&running.data);
        assert!(server.terminate().success(), "{name}");
    }
}

/// Callers keep sending requests while the store is set aside. Everything that was acknowledged to them is
/// in the file that was set aside.
#[tokio::test(flavor = "multi_thread")]
async fn acknowledged_writes_are_found_after_the_store_is_put_back() {
    for name in [STORE, "countersign.db-wal", ""] {
        let running = running();
        let path = running.file(name);
        let mut acknowledged = Vec::new();
        for _ in 0..20 {
            let started = running.start().await.ok();
            acknowledged.push(started["confirmationId"].as_str().unwrap().to_owned());
        }
        set_aside(&path);
        running.notices(name).await;
        put_back(&path);
        running.server.kill();
        let server = Server::start(&running.data);
        for id in acknowledged {
            let found = server.caller().get(&format!("/confirmations/{id}")).await;
            assert_eq!(found.ok()["status"], "open", "{name}");
        }
    }
}

/// The directory itself is locked as well.
#[tokio::test(flavor = "multi_thread")]
async fn second_server_does_not_start_without_the_lock() {
    let running = running();
    let lock = running.data.join("lock");
    for change in [replace as Change, remove] {
        change(&lock);
        let said = Server::refusal(&running.data, &["--listen", "127.0.0.1:0"]);
        assert!(said.contains("already uses"), "{said}");
    }
}

/// A start does not create any lost file again, because receivers and providers would no longer
/// match it.
#[tokio::test(flavor = "multi_thread")]
async fn lost_file_is_not_made_again_silently() {
    let running = running();
    let data = &running.data;
    let added = countersign(data, &["provider", "add", "sinch", "--generate"]);
    assert!(added.status.success(), "{added:?}");
    assert!(running.server.terminate().success());
    for (name, advice) in [
        ("webhook-secret", "webhook-secret replace"),
        ("inbound-secret", "provider add generic"),
        ("signing-keys", "signing-key rotate"),
        ("signing-keys/current", "signing-key rotate"),
        ("providers.json", "write {} into it"),
    ] {
        let path = data.join(name);
        set_aside(&path);
        let said = Server::refusal(data, &["--listen", "127.0.0.1:0"]);
        for words in ["is missing", "restore it from a backup", advice] {
            assert!(said.contains(words), "{name}: {said}");
        }
        assert!(!path.exists(), "{name}");
        put_back(&path);
    }
    let server = Server::start(data);
    assert!(server.terminate().success());

    // Each file can be replaced deliberately.
    let succeeds = |args: &[&str]| {
        let output = countersign(data, args);
        assert!(output.status.success(), "{args:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    for name in ["webhook-secret", "inbound-secret", "signing-keys"] {
        remove(&data.join(name));
    }
    succeeds(&["signing-key", "rotate"]);
    let replaced = succeeds(&["webhook-secret", "replace"]);
    assert!(replaced.contains("one secret is in force"), "{replaced}");
    assert!(replaced.contains("  demo"), "{replaced}");
    succeeds(&["provider", "add", "generic"]);
    let server = Server::start(data);
    assert_eq!(server.anyone().get("/healthz").await.status, 200);
}
