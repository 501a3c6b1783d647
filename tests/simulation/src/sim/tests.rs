use countersign_conformance::chance::Chance;
use countersign_conformance::samples::NOW;

use super::{OUTSIDE, Sim, block_on};
use crate::trace::Trace;

#[test]
fn panic_of_a_task_reaches_the_run() {
    let panic = block_on(async {
        let sim = Sim::new(Chance::from_seed(0), NOW, Trace::hashed());
        sim.spawn(OUTSIDE, async { panic!("planted") });
        sim.over().cancelled().await;
        sim.panic()
    });
    assert_eq!(panic.unwrap().downcast_ref(), Some(&"planted"));
}
