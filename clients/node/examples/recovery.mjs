// Users whose phones and numbers change: the code of docs/recovery.md.
//
//   CREATE TABLE users (id TEXT PRIMARY KEY, phone_number TEXT UNIQUE, number_proven_at BIGINT, number_changed_at BIGINT)
//   CREATE TABLE phones (key_id TEXT PRIMARY KEY, user_id TEXT NOT NULL, name TEXT NOT NULL, added_at BIGINT NOT NULL)
//   CREATE TABLE new_phones (id TEXT PRIMARY KEY, user_id TEXT NOT NULL, name TEXT NOT NULL, public_key TEXT NOT NULL,
//     signature TEXT NOT NULL, approved_at BIGINT)
//   CREATE TABLE new_numbers (id TEXT PRIMARY KEY, user_id TEXT NOT NULL)
//   CREATE TABLE recoveries (user_id TEXT PRIMARY KEY, not_before BIGINT NOT NULL)

import { RecordMissingError } from '@countersign/server'

const DAY = 86_400_000

/**
 * The time for which a new phone cannot remove an older one, a new number opens nothing, and a user without phones
 * waits.
 */
const WAIT = 7 * DAY

/**
 * The age from which a number may belong to another person. Carriers wait at least this long before they assign a
 * number again.
 */
const NUMBER_TRUSTED = 45 * DAY

/**
 * `transaction(run)` belongs to your database, as for `sqlStore`. `notify(userId, text)` writes to every address of the
 * user that did not just change. `endSessions(userId, keyId)` logs browsers out: all of the user's if `keyId` is
 * missing.
 */
export function recovery({ countersign, transaction, notify, endSessions, origin, callbackUrl, now = Date.now }) {
  const query = (sql, values) => transaction(async (connection) => (await connection.query(sql, values)).rows)

  /** Lists a user's phones for an account page. */
  async function phonesOf(userId) {
    return query('SELECT key_id, name, added_at FROM phones WHERE user_id = $1 ORDER BY added_at', [userId])
  }

  /** Removes a phone. `by` is the phone that requests it, if any. */
  async function removePhone(userId, keyId, by) {
    const phones = await phonesOf(userId)
    const phone = phones.find((one) => one.key_id === keyId)
    if (!phone) return 'unknown' // Another user's, or gone.
    const asking = phones.find((one) => one.key_id === by)
    const isNew = asking !== undefined && now() - asking.added_at < WAIT
    if (isNew && phone.added_at < asking.added_at) return 'too_early'
    await countersign.associationKeys.revoke(keyId) // First, and harmless to repeat.
    await query('DELETE FROM phones WHERE key_id = $1', [keyId])
    await endSessions(userId, keyId)
    await notify(userId, `${phone.name} was removed from your account.`)
    return 'removed'
  }

  /**
   * Asks one of the user's existing phones to approve a new one. The new phone's app sent the key and `signature`.
   */
  async function startNewPhone(userId, { name, publicKey, signature }) {
    const { id, session } = await countersign.approvals.start({
      origin,
      userId,
      context: `Add this phone to your account:\n${name}\nIt can then log in and approve as you do.`,
      onStarted: (started, connection) => connection.query(
        'INSERT INTO new_phones (id, user_id, name, public_key, signature) VALUES ($1, $2, $3, $4, $5)',
        [started.id, userId, name, publicKey, signature],
      ),
    })
    return { id, session } // For <countersign-login session="…">.
  }

  /** Completes what `startNewPhone` began: call it when the page says `confirmed`, and again if it failed. */
  async function finishNewPhone(userId, id) {
    const [asked] = await query('SELECT * FROM new_phones WHERE id = $1 AND user_id = $2', [id, userId])
    if (!asked) return 'unknown'
    const { status } = await countersign.approvals.result(id, {
      onResult: (decision, connection) => decision.status === 'approved' && connection.query(
        'UPDATE new_phones SET approved_at = $2 WHERE id = $1', [id, now()],
      ),
    })
    if (status !== 'approved' && status !== 'already_reported') return status
    const [approved] = await query('SELECT * FROM new_phones WHERE id = $1 AND approved_at IS NOT NULL', [id])
    return approved ? addPhone(approved) : 'refused'
  }

  async function addPhone({ id, user_id: userId, name, public_key: publicKey, signature }) {
    const { keyId } = await countersign.associationKeys.register({ publicUserId: userId, publicKey, signature })
    const added = await transaction(async (connection) => {
      await connection.query('DELETE FROM new_phones WHERE id = $1', [id])
      const insert = 'INSERT INTO phones VALUES ($1, $2, $3, $4) ON CONFLICT (key_id) DO NOTHING RETURNING key_id'
      return (await connection.query(insert, [keyId, userId, name, now()])).rows.length === 1
    })
    if (added) await notify(userId, `${name} was added to your account. If it is not yours, remove it now.`)
    return 'added'
  }

  /**
   * Starts the verification of a user's new number. The user is logged in, and has just approved this or typed the
   * password.
   */
  async function startNewNumber(userId, { phoneNumber, country }) {
    return countersign.confirmations.confirm({
      phoneNumber,
      country,
      callbackUrl,
      onStarted: ({ confirmationId }, connection) => connection.query(
        'INSERT INTO new_numbers (id, user_id) VALUES ($1, $2)', [confirmationId, userId],
      ),
    })
  }

  /** Stores the number, as the webhook's `onVerified`. */
  async function newNumberVerified({ confirmationId, phoneNumber }, connection) {
    const { rows: [change] } = await connection.query(
      'DELETE FROM new_numbers WHERE id = $1 RETURNING user_id', [confirmationId],
    )
    if (!change) throw new RecordMissingError(confirmationId)
    const { rows: [former] } = await connection.query(
      'UPDATE users SET phone_number = NULL WHERE phone_number = $1 AND id <> $2 RETURNING id', [phoneNumber, change.user_id],
    )
    await connection.query(
      'UPDATE users SET phone_number = $2, number_proven_at = $3, number_changed_at = $3 WHERE id = $1',
      [change.user_id, phoneNumber, now()],
    )
    await notify(change.user_id, 'The phone number of your account was changed.')
    if (former) await notify(former.id, 'Your phone number belongs to another account now. Add your new one.')
  }

  /** Returns what a newly verified number gives access to. */
  async function openedBy(phoneNumber) {
    const [user] = await query('SELECT * FROM users WHERE phone_number = $1', [phoneNumber])
    if (!user) return { open: 'new account' }
    const keys = await countersign.associationKeys.list({ publicUserId: user.id })
    if (keys.length > 0) return { ask: 'a phone', userId: user.id }
    const isOld = now() - user.number_proven_at > NUMBER_TRUSTED
    const isNew = user.number_changed_at !== null && now() - user.number_changed_at < WAIT
    return isOld || isNew ? { ask: 'another factor', userId: user.id } : { open: user.id }
  }

  /**
   * Releases the number of an account that the number's new owner says is not theirs. The account itself remains.
   */
  async function notMyAccount(phoneNumber) {
    const [former] = await query(
      'UPDATE users SET phone_number = NULL WHERE phone_number = $1 RETURNING id', [phoneNumber],
    )
    if (former) await notify(former.id, 'Somebody else has proven your phone number. Add your new one.')
  }

  /** Begins the recovery for a user without a phone, once you have checked all other factors. */
  async function startRecovery(userId) {
    await query('INSERT INTO recoveries VALUES ($1, $2) ON CONFLICT (user_id) DO NOTHING', [userId, now() + WAIT])
    await notify(userId, 'Somebody asks for a new start of your account. If you do not, log in and refuse it.')
  }

  /** Refuses the recovery: any session or phone of the user may do so. */
  async function refuseRecovery(userId) {
    await query('DELETE FROM recoveries WHERE user_id = $1', [userId])
  }

  /** Completes the recovery after the waiting time: no former phone or session is valid any longer. */
  async function finishRecovery(userId) {
    const due = await query('SELECT user_id FROM recoveries WHERE user_id = $1 AND not_before <= $2', [userId, now()])
    if (due.length === 0) return 'too_early'
    for (const { keyId } of await countersign.associationKeys.list({ publicUserId: userId })) {
      await countersign.associationKeys.revoke(keyId)
    }
    await query('DELETE FROM phones WHERE user_id = $1', [userId])
    await query('DELETE FROM recoveries WHERE user_id = $1', [userId])
    await endSessions(userId)
    await notify(userId, 'Your account has had a new start. All phones were removed.')
    return 'recovered'
  }

  return {
    phonesOf, removePhone, startNewPhone, finishNewPhone, startNewNumber, newNumberVerified, openedBy, notMyAccount,
    startRecovery, refuseRecovery, finishRecovery,
  }
}
