use tokio::time::{advance, timeout};

use super::*;

const SECOND: Duration = Duration::from_secs(1);

/// Returns a sleep of the timer.
fn limit(timer: &SharedTimer, limit: Duration) -> Sleep {
    // sleep: it is what is tested, and the clock is paused.
    timer.sleep(limit)
}

/// Lets the tasks run that are ready.
async fn run_ready() {
    for _ in 0..8 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test(start_paused = true)]
async fn sleeps_end_in_their_order_and_on_time() {
    let timer = SharedTimer::default();
    let began = Instant::now();
    let sleeps = [4, 2, 3, 1, 2].map(|seconds| {
        let sleep = limit(&timer, SECOND * seconds);
        async move {
            sleep.await;
            assert_eq!(began.elapsed().as_secs(), u64::from(seconds));
        }
    });
    futures_util::future::join_all(sleeps).await;
    assert_eq!(began.elapsed().as_secs(), 4);
}

#[tokio::test(start_paused = true)]
async fn timer_stays_set_while_calls_come_and_go() {
    let timer = SharedTimer::default();
    let began = Instant::now();
    for _ in 0..50 {
        let limits = [4, 2].map(|seconds| limit(&timer, SECOND * seconds));
        let limits = futures_util::future::join_all(limits);
        assert!(timeout(SECOND / 100, limits).await.is_err());
        assert_eq!(timer.timer().fires_at, Some(began + SECOND * 2));
        assert!(timer.timer().sleepers.is_empty());
    }
}

#[tokio::test(start_paused = true)]
async fn timer_that_fires_without_sleepers_is_not_set_again() {
    let timer = SharedTimer::default();
    assert!(timeout(SECOND / 2, limit(&timer, SECOND)).await.is_err());
    advance(SECOND).await;
    run_ready().await;
    assert_eq!(timer.timer().fires_at, None);
    let began = Instant::now();
    limit(&timer, SECOND).await;
    assert_eq!(began.elapsed().as_secs(), 1);
}

#[tokio::test(start_paused = true)]
async fn shorter_sleep_replaces_the_timer() {
    let timer = SharedTimer::default();
    let began = Instant::now();
    let (long, short) = (limit(&timer, SECOND * 9), limit(&timer, SECOND));
    let long = tokio::spawn(long);
    run_ready().await;
    short.await;
    assert_eq!(began.elapsed().as_secs(), 1);
    assert!(long.await.is_ok());
    assert_eq!(began.elapsed().as_secs(), 9);
}

#[tokio::test(start_paused = true)]
async fn sleep_that_is_over_ends_without_the_timer() {
    let timer = SharedTimer::default();
    let sleep = limit(&timer, SECOND);
    advance(SECOND).await;
    sleep.await;
    assert_eq!(timer.timer().fires_at, None);
}
