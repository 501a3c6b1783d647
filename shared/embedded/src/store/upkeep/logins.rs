//! The same for QR sessions.

use countersign_domain::delivery::{DeliveryLane, DeliverySubject};
use countersign_domain::login::store::DueNotice;
use countersign_domain::primitives::ids::LoginId;
use countersign_domain::primitives::time::Timestamp;
use redb::ReadableTable;

use super::{Recovered, release};
use crate::store::batch::Batch;
use crate::store::due;
use crate::store::fault::Fault;
use crate::store::login_tables::LoginTables;
use crate::store::tables::{
    IndexKeys, TimeKey, after as after_instant, due_key, due_notice_of, read_time_key,
};

pub(super) fn recover(
    batch: &mut Batch<'_>,
    lane: DeliveryLane,
    now: Timestamp,
    after: Option<DueNotice>,
    limit: usize,
    under_way: &dyn Fn(DeliverySubject) -> bool,
) -> Result<Vec<Recovered<DueNotice>>, Fault> {
    let mut tables = LoginTables::open(batch)?;
    let (mut recovered, mut changed) = (Vec::new(), false);
    let mut last = after.map(|due| due_key(lane, due.due_at, due.session.as_bytes()));
    while recovered.len() < limit {
        let missing = limit - recovered.len();
        let keys = due::of_lane(&tables.due, lane, due::NEVER, last, missing)?;
        let Some(newest) = keys.last() else {
            break;
        };
        last = Some(*newest);
        for due in keys.iter().map(due_notice_of) {
            if under_way(due.session.into()) {
                continue;
            }
            match take_up(&mut tables, due, now) {
                Ok((found, written)) => {
                    recovered.extend(found);
                    changed |= written;
                }
                // One bad record must not keep the others from being delivered.
                Err(fault) if !fault.concerns_all() => {
                    tracing::error!(id = %due.session, cause = %fault, "cannot recover");
                }
                Err(fault) => return Err(fault),
            }
        }
    }
    drop(tables);
    if changed {
        batch.mark_changed();
    }
    Ok(recovered)
}

fn take_up(
    tables: &mut LoginTables<'_>,
    due: DueNotice,
    now: Timestamp,
) -> Result<(Option<Recovered<DueNotice>>, bool), Fault> {
    let Some(mut item) = tables.get(due.session)?.filter(|i| now < i.purge_at) else {
        return Ok((None, false));
    };
    let keys = IndexKeys::of_session(&item);
    let Some(notice) = &mut item.notice else {
        return Ok((None, false));
    };
    let (Some(next_attempt_at), written) = release(&mut notice.delivery, now) else {
        return Ok((None, false));
    };
    if written {
        tables.put(Some(keys), &item)?;
    }
    let recovered = item.pointer().map(|pointer| Recovered {
        pointer,
        next_attempt_at,
        due,
    });
    Ok((recovered, written))
}

pub(super) fn purge(batch: &mut Batch<'_>, now: Timestamp, limit: usize) -> Result<usize, Fault> {
    let mut tables = LoginTables::open(batch)?;
    let end = after_instant(now);
    let over = tables.purge.range::<&TimeKey>(..&end)?.take(limit);
    let over = over.map(|entry| Ok(*entry?.0.value()));
    let over = over.collect::<Result<Vec<TimeKey>, Fault>>()?;
    for key in &over {
        let id = LoginId::from_bytes(read_time_key(key).1);
        let keys = match tables.get(id) {
            // The entry was damaged: the session's own time counts, and it gets its entry back.
            Ok(Some(item)) if end <= IndexKeys::of_session(&item).purge => {
                tables.purge.remove(key)?;
                let entry = IndexKeys::of_session(&item).purge;
                tables.purge.insert(&entry, ())?;
                continue;
            }
            Ok(Some(item)) => IndexKeys::of_session(&item),
            Err(fault) if fault.concerns_all() => return Err(fault),
            // What cannot be read goes too: it would stand first in the index for ever.
            Ok(None) | Err(_) => IndexKeys {
                due: None,
                purge: *key,
                open_until: None,
            },
        };
        tables.remove(id, keys)?;
    }
    drop(tables);
    if !over.is_empty() {
        batch.mark_changed();
    }
    Ok(over.len())
}
