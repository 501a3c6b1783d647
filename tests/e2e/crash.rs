//! Kills the server with `kill -9` at many moments under load, and checks that everything acknowledged is
//! stored and every verified confirmation is delivered under a single webhook id.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;
use tokio::sync::{Mutex, Notify};
use tokio::task::JoinSet;

use crate::support::{Facts, Http, Receiver, Server, data_dir, deliver_text, unless_hung};

const KILLS: usize = 20;
const CALLERS: usize = 8;

/// Everything that the server acknowledged in all its runs.
#[derive(Default)]
struct Acknowledged {
    created: Mutex<Vec<String>>,
    verified: Mutex<HashSet<String>>,
    count: AtomicUsize,
    enough: Notify,
}

impl Acknowledged {
    fn one_more(&self, limit: usize) {
        if self.count.fetch_add(1, Ordering::SeqCst) + 1 >= limit {
            self.enough.notify_one();
        }
    }
}

/// Starts confirmations and sends their texts until the server is killed.
async fn call(facts: Facts, callback: String, acknowledged: Arc<Acknowledged>, limit: usize) {
    let http = Http::new(&facts.url).with("x-api-key", &facts.api_key);
    let request = json!({"callbackUrl": callback, "metadata": {"k": "v"}}).to_string();
    loop {
        let created = http
            .try_call("POST", "/acquire-phone-number", Some(request.clone()))
            .await;
        let Ok(answer) = created else { return };
        let confirmation = answer.ok();
        let id = confirmation["confirmationId"].as_str().unwrap().to_owned();
        acknowledged.created.lock().await.push(id.clone());
        acknowledged.one_more(limit);
        let message = confirmation["confirmationMessage"].as_str().unwrap();
        let text = deliver_text(&facts, &format!("text-{id}"), "+12025550100", message).await;
        let Ok(answer) = text else { return };
        assert!((200..300).contains(&answer.status), "{answer:?}");
        acknowledged.verified.lock().await.insert(id);
        acknowledged.one_more(limit);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn kill_loses_nothing_acknowledged() {
    let data = data_dir();
    let receiver = Receiver::start().await;
    let acknowledged = Arc::new(Acknowledged::default());
    for round in 0..KILLS {
        let server = Server::start_with(data.path(), &["--validity", "1h"]);
        // Each run is killed at a different moment, sometimes right after the start.
        let limit = acknowledged.count.load(Ordering::SeqCst) + 1 + (round * 37) % 250;
        let mut callers = JoinSet::new();
        for _ in 0..CALLERS {
            let facts = server.facts.clone();
            let (url, shared) = (receiver.url.clone(), Arc::clone(&acknowledged));
            callers.spawn(call(facts, url, shared, limit));
        }
        // A caller that ends before the kill has encountered an error.
        let enough = async {
            tokio::select! {
                () = acknowledged.enough.notified() => {}
                Some(ended) = callers.join_next() => ended.unwrap(),
            }
        };
        unless_hung("enough load", enough).await;
        server.kill();
        callers.join_all().await;
    }

    let server = Server::start(data.path());
    let mut owed = acknowledged.verified.lock().await.clone();
    let mut ids: HashMap<String, String> = HashMap::new();
    while !owed.is_empty() {
        let webhook = receiver.next().await;
        let id = webhook.confirmation_id();
        owed.remove(&id);
        let first = ids.entry(id).or_insert_with(|| webhook.id());
        assert_eq!(
            *first,
            webhook.id(),
            "a webhook that is sent again keeps its id"
        );
    }
    let created = acknowledged.created.lock().await;
    for id in created.iter() {
        let status = server
            .caller()
            .get(&format!("/confirmations/{id}"))
            .await
            .ok();
        if acknowledged.verified.lock().await.contains(id) {
            assert_eq!(status["status"], "verified");
        }
    }
    println!(
        "{} confirmations and {} webhooks over {KILLS} kills",
        created.len(),
        ids.len()
    );
    assert!(created.len() >= KILLS, "too little load");
}
