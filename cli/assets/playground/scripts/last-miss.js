import { timeOfDay } from './dom.js'

/** Returns a sentence about the text that came close, or null if there was none. */
export function whatCameClose({ lastMiss, phoneNumber, sendTo }) {
  if (!lastMiss) return null
  const text = `A text with this code came at ${timeOfDay(lastMiss.at)}`
  switch (lastMiss.reason) {
    case 'wrong_sender':
      return phoneNumber
        ? `${text}, but not from ${phoneNumber}.`
        : `${text}, but its sender is not a phone number.`
    case 'number_hidden': return `${text}, but its sender hides their number.`
    case 'late': return `${text}, after the confirmation had expired.`
    case 'number_type_refused': return `${text}, but the app refuses numbers of the sender's type.`
    case 'wrong_recipient': return `${text}, but not as a text message to ${sendTo}.`
    default: return `${text}, but it did not count.`
  }
}
