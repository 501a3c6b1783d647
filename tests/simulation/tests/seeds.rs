//! Ten thousand seeds.
use countersign_simulation::{Setup, Trace, run};

#[test]
fn seeds() {
    let count: u64 = std::env::var("SIMULATION_SEEDS")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(1000);
    let began = std::time::Instant::now();
    let mut tally = std::collections::BTreeMap::new();
    let mut bad = 0;
    for seed in 0..count {
        let verdict = run(seed, &Setup::default(), Trace::hashed());
        for (k, v) in verdict.tally {
            *tally.entry(k).or_insert(0) += v;
        }
        if let Some(v) = verdict.violation {
            bad += 1;
            if bad < 15 {
                println!(
                    "{seed}: {}",
                    v.to_string().chars().take(300).collect::<String>()
                );
            }
        }
    }
    println!("{tally:#?} bad {bad} {:?}", began.elapsed());
}
#[test]
fn replay() {
    let Some(seed) = std::env::var("SIMULATION_SEED")
        .ok()
        .and_then(|n| n.parse().ok())
    else {
        return;
    };
    let verdict = run(
        seed,
        Setup::default(),
        Trace::read_by(|line| println!("{line}")),
    );
    println!("{verdict:?}");
}
