//! Disks that fill up and have space again, and read-only disks.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::json;
use tempfile::TempDir;

use crate::support::{Browser, Receiver, Server, countersign, data_dir, deliver_text, skip, until};

/// A small file system for one test, which is unmounted when dropped.
struct SmallDisk {
    at: PathBuf,
    _folder: TempDir,
}

impl SmallDisk {
    /// Mounts the file system. Only root can do that; otherwise reports `test` as skipped.
    fn mount(test: &str) -> Option<Self> {
        let folder = data_dir();
        let at = folder.path().join("disk");
        fs::create_dir(&at).unwrap();
        let mounted = Command::new("mount")
            .args([
                "-t",
                "tmpfs",
                "-o",
                "size=24m,mode=0700",
                "countersign-test",
            ])
            .arg(&at)
            .output();
        match mounted {
            Ok(output) if output.status.success() => Some(Self {
                at,
                _folder: folder,
            }),
            _ => {
                skip(test, "the right to mount a tmpfs");
                None
            }
        }
    }

    /// Makes the file system read-only.
    fn seal(&self) {
        let mut mount = Command::new("mount");
        mount.args(["-o", "remount,ro"]).arg(&self.at);
        assert!(mount.status().unwrap().success());
    }

    fn data(&self) -> PathBuf {
        self.at.join("data")
    }

    /// Fills the disk with a file and returns its path.
    fn fill(&self) -> PathBuf {
        let ballast = self.at.join("ballast");
        let mut file = fs::File::options()
            .create(true)
            .append(true)
            .open(&ballast)
            .unwrap();
        let piece = [1; 4096];
        while std::io::Write::write_all(&mut file, &piece).is_ok() {}
        ballast
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.at).status();
    }
}

async fn is_well(server: &Server) -> bool {
    server.anyone().get("/healthz").await.status == 200
}

/// Starts confirmations until one is refused, and returns the accepted ones.
async fn begin_until_refused(server: &Server, callback: &str) -> Vec<String> {
    let mut begun = Vec::new();
    // Each confirmation takes some space, so the loop ends.
    let padding = "x".repeat(3000);
    loop {
        let request = json!({"callbackUrl": callback, "metadata": {"padding": padding}});
        let answer = server
            .caller()
            .post("/acquire-phone-number", &request)
            .await;
        if answer.status != 200 {
            assert_eq!(answer.status, 503, "{answer:?}");
            return begun;
        }
        begun.push(answer.json()["confirmationId"].as_str().unwrap().to_owned());
        assert!(begun.len() < 50_000, "the disk never ran full");
    }
}

fn free(disk: &Path) {
    fs::remove_file(disk.join("ballast")).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn server_recovers_from_a_full_disk_without_a_restart() {
    let Some(disk) = SmallDisk::mount("server_recovers_from_a_full_disk_without_a_restart") else {
        return;
    };
    let receiver = Receiver::start().await;
    let server = Server::start_with(&disk.data(), &["--min-free-space", "0", "--validity", "1h"]);
    let (id, message) = server.acquire(&receiver.url).await;
    assert!(is_well(&server).await);
    disk.fill();
    let begun = begin_until_refused(&server, &receiver.url).await;
    until("health to say that nothing can be written", async || {
        (!is_well(&server).await).then_some(())
    })
    .await;
    let ill = server.anyone().get("/healthz").await;
    assert_eq!(ill.problem(503), "storage_not_writable");
    let check = ["healthcheck", "--url", server.facts.url.as_str()];
    let check = countersign(&disk.data(), &check);
    assert!(!check.status.success(), "{check:?}");
    let complaint = String::from_utf8(check.stderr).unwrap();
    assert!(complaint.contains("503"), "{complaint}");
    assert!(ill.headers.contains_key("retry-after"));
    // Existing confirmations can still be read.
    let status = server.caller().get(&format!("/confirmations/{id}")).await;
    assert_eq!(status.ok()["status"], "open");

    free(&disk.at);
    until("the store to write again", async || {
        is_well(&server).await.then_some(())
    })
    .await;
    deliver_text(&server.facts, "text-1", "+12025550100", &message)
        .await
        .unwrap();
    assert_eq!(receiver.next().await.confirmation_id(), id);
    server.delivered(&id).await;
    for id in &begun {
        let status = server.caller().get(&format!("/confirmations/{id}")).await;
        assert_eq!(
            status.ok()["status"],
            "open",
            "everything acknowledged is stored"
        );
    }
    // The next process finds the confirmation as well.
    assert!(server.terminate().success());
    let server = Server::start_with(&disk.data(), &["--min-free-space", "0"]);
    server.delivered(&id).await;
    for id in &begun {
        let status = server.caller().get(&format!("/confirmations/{id}")).await;
        assert_eq!(status.status, 200);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn below_the_reserve_only_existing_confirmations_proceed() {
    let data = data_dir();
    let receiver = Receiver::start().await;
    let server = Server::start_with(data.path(), &["--validity", "1h"]);
    let (id, message) = server.acquire(&receiver.url).await;
    assert!(server.terminate().success());

    // No disk has this much space.
    let server = Server::start_with(data.path(), &["--min-free-space", "1000000TiB"]);
    let request = json!({"callbackUrl": receiver.url});
    for path in ["/acquire-phone-number", "/make-confirmation"] {
        let mut request = request.clone();
        request["phoneNumber"] = json!("+12025550100");
        let refused = server.caller().post(path, &request).await;
        assert_eq!(refused.problem(503), "storage_low");
        assert_eq!(refused.headers["retry-after"], "60");
    }
    let refused = Browser::try_open(&server, &server.facts.url).await;
    assert_eq!(refused.problem(503), "storage_low");

    assert!(is_well(&server).await);
    deliver_text(&server.facts, "text-1", "+12025550100", &message)
        .await
        .unwrap();
    assert_eq!(receiver.next().await.confirmation_id(), id);
    server.delivered(&id).await;
}

/// Tests both a stopped server and a killed one, whose write-ahead log has not been copied into the file.
#[tokio::test(flavor = "multi_thread")]
async fn stopped_store_is_checked_and_backed_up_on_a_read_only_disk() {
    const NAME: &str = "stopped_store_is_checked_and_backed_up_on_a_read_only_disk";
    for is_killed in [false, true] {
        let Some(disk) = SmallDisk::mount(NAME) else {
            return;
        };
        let receiver = Receiver::start().await;
        let server = Server::start_with(&disk.data(), &["--min-free-space", "0"]);
        let mut started = Vec::new();
        for _ in 0..3 {
            started.push(server.acquire(&receiver.url).await.0);
        }
        if is_killed {
            server.kill();
        } else {
            assert!(server.terminate().success());
        }
        let log = disk.data().join("countersign.db-wal");
        assert_eq!(fs::metadata(&log).is_ok_and(|log| log.len() > 0), is_killed);
        disk.seal();
        let succeeded = |data: &Path, args: &[&str]| {
            let output = countersign(data, args);
            assert!(output.status.success(), "{args:?}: {output:?}");
            String::from_utf8(output.stdout).unwrap()
        };
        let found = succeeded(&disk.data(), &["check"]);
        assert!(found.contains("3 confirmations"), "{found}");
        assert!(found.contains("Nothing is damaged"), "{found}");
        let elsewhere = data_dir();
        let file = elsewhere.path().join("backup");
        let (file, data) = (file.to_str().unwrap(), elsewhere.path().join("data"));
        succeeded(&disk.data(), &["backup", file]);
        let restored = succeeded(&data, &["restore", file]);
        assert!(restored.contains("3 confirmations"), "{restored}");
        let repair = countersign(&disk.data(), &["check", "--repair"]);
        assert!(!repair.status.success(), "{repair:?}");

        let server = Server::start(&data);
        for id in started {
            let status = server.caller().get(&format!("/confirmations/{id}")).await;
            assert_eq!(status.status, 200);
        }
    }
}

/// On such a mount, SQLite cannot see what the server writes.
#[tokio::test(flavor = "multi_thread")]
async fn read_only_mount_of_a_running_servers_store_is_refused() {
    const NAME: &str = "read_only_mount_of_a_running_servers_store_is_refused";
    let (Some(disk), Some(other)) = (SmallDisk::mount(NAME), SmallDisk::mount(NAME)) else {
        return;
    };
    let _server = Server::start_with(&disk.data(), &["--min-free-space", "0"]);
    let mut mount = Command::new("mount");
    mount.args(["-o", "bind,ro"]).arg(&disk.at).arg(&other.at);
    assert!(mount.status().unwrap().success());
    let elsewhere = data_dir();
    let file = elsewhere.path().join("backup");
    for args in [&["check"][..], &["backup", file.to_str().unwrap()]] {
        let refused = countersign(&other.data(), args);
        assert!(!refused.status.success(), "{refused:?}");
        let said = String::from_utf8(refused.stderr).unwrap();
        assert!(said.contains("already uses"), "{said}");
    }
    assert!(!file.exists());
}
