// An app's settings: where `show_app` has them, and how `update_app` changes them.

import type { App } from '../api/types.ts'

export type SettingKind = 'text' | 'lines' | 'choice' | 'switch' | 'number'

export type Setting = {
  /** The path into the answer of `show_app`. */
  path: string
  kind: SettingKind
  group: 'webhooks' | 'message' | 'numbers' | 'links' | 'phones' | 'guards' | 'webPhone' | 'openid' | 'quotas'
  /** The member of the request. */
  option: string
  /** The member that takes the setting away. */
  off?: string
  /** The members that add to a list and remove from it. Two operators' changes to it then both hold. */
  add?: string
  remove?: string
  choices?: string[]
}

/** The kinds of quotas, with their part in the names of options. */
const QUOTAS = [
  ['confirmations', 'max_confirmations_per_minute', 'max_confirmation_burst', 'max_open_confirmations'],
  ['logins', 'max_logins_per_minute', 'max_login_burst', 'max_open_logins'],
  ['associationKeys', 'max_association_keys_per_minute', 'max_association_key_burst', 'max_association_keys'],
  ['lists', 'max_lists_per_minute', 'max_list_burst', 'max_lists_under_way'],
] as const

const quotas = QUOTAS.flatMap(([kind, perMinute, burst, maxOpen]): Setting[] => [
  { path: `quotas.${kind}.perMinute`, kind: 'number', group: 'quotas', option: perMinute },
  { path: `quotas.${kind}.burst`, kind: 'number', group: 'quotas', option: burst },
  { path: `quotas.${kind}.maxOpen`, kind: 'number', group: 'quotas', option: maxOpen },
])

export const SETTINGS: Setting[] = [
  { path: 'callbackUrl', kind: 'text', group: 'webhooks', option: 'callback_url', off: 'no_callback_url' },
  { path: 'callbackOrigins', kind: 'lines', group: 'webhooks', option: 'callback_origins', off: 'no_callback_origins' },
  { path: 'webhookDetails', kind: 'switch', group: 'webhooks', option: 'webhook_details', off: 'no_webhook_details' },
  { path: 'messageTemplate', kind: 'text', group: 'message', option: 'message_template', off: 'no_message_template' },
  { path: 'messageTemplates', kind: 'lines', group: 'message', option: 'message_templates', off: 'no_message_templates' },
  { path: 'codePrefix', kind: 'text', group: 'message', option: 'code_prefix', off: 'no_code_prefix' },
  { path: 'senders', kind: 'lines', group: 'numbers', option: 'senders' },
  { path: 'whatsapp', kind: 'text', group: 'numbers', option: 'whatsapp', off: 'no_whatsapp' },
  { path: 'refusedNumberTypes', kind: 'lines', group: 'numbers', option: 'refused_number_types', off: 'no_refused_number_types' },
  { path: 'login.linkHost', kind: 'text', group: 'links', option: 'link_host', off: 'no_link_host' },
  { path: 'login.origins', kind: 'lines', group: 'links', option: 'origins', add: 'added_origins', remove: 'removed_origins' },
  { path: 'login.returnPages', kind: 'lines', group: 'links', option: '', add: 'added_return_pages', remove: 'removed_return_pages' },
  { path: 'login.loginsFrom', kind: 'choice', group: 'links', option: 'logins_from', choices: ['pages', 'server'] },
  { path: 'login.callback', kind: 'text', group: 'links', option: 'login_callback', off: 'no_login_callback' },
  { path: 'login.android', kind: 'lines', group: 'phones', option: 'android', off: 'no_android' },
  { path: 'login.ios', kind: 'lines', group: 'phones', option: 'ios', off: 'no_ios' },
  { path: 'login.payloadEncryption', kind: 'choice', group: 'guards', option: 'payload_encryption', choices: ['required', 'optional'] },
  { path: 'login.requireProof', kind: 'choice', group: 'guards', option: 'require_proof', choices: ['true', 'false'] },
  { path: 'login.checkCode', kind: 'choice', group: 'guards', option: 'check_code', choices: ['true', 'false'] },
  { path: 'login.denyAfterDenials', kind: 'choice', group: 'guards', option: 'deny_after_denials', choices: ['true', 'false'] },
  { path: 'login.webPhone', kind: 'choice', group: 'webPhone', option: 'web_phone', choices: ['true', 'false'] },
  { path: 'login.webPhoneKey', kind: 'choice', group: 'webPhone', option: 'web_phone_key', choices: ['any', 'passkey'] },
  { path: 'login.phoneSetupUrl', kind: 'text', group: 'webPhone', option: 'phone_setup_url', off: 'no_phone_setup_url' },
  { path: 'openid.redirectUris', kind: 'lines', group: 'openid', option: '', add: 'added_redirect_uris', remove: 'removed_redirect_uris' },
  { path: 'openid.postLogoutRedirectUris', kind: 'lines', group: 'openid', option: '', add: 'added_post_logout_redirect_uris', remove: 'removed_post_logout_redirect_uris' },
  { path: 'openid.client', kind: 'choice', group: 'openid', option: 'openid_client', choices: ['confidential', 'public'] },
  { path: 'openid.pkce', kind: 'choice', group: 'openid', option: 'openid_pkce', choices: ['required', 'nonce'] },
  { path: 'openid.methods', kind: 'lines', group: 'openid', option: 'openid_methods' },
  { path: 'openid.subjectSilenceDays', kind: 'number', group: 'openid', option: 'openid_subject_silence_days' },
  ...quotas,
]

export const GROUPS = ['webhooks', 'message', 'numbers', 'links', 'phones', 'guards', 'webPhone', 'openid', 'quotas'] as const

/** Returns the part of a request that holds the option of a setting. */
function placeOf({ path }: Setting, settings: Record<string, unknown>): Record<string, unknown> {
  const [group = ''] = path.split('.')
  return (group in settings && path.includes('.') ? settings[group] : settings) as Record<string, unknown>
}

/** Returns the value at a path of an app. */
export function valueAt(app: App, path: string): unknown {
  return path.split('.').reduce<unknown>((at, name) => (at as Record<string, unknown> | null | undefined)?.[name], app) ?? null
}

/** Returns the lines of a setting: those of a list, or `KEY=VALUE` of a map. */
export function linesOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.map(String)
  if (value === null || typeof value !== 'object') return []
  return Object.entries(value).map(([name, text]) => `${name}=${String(text)}`)
}

/** Returns a setting as the text that its field holds. */
export function fieldText(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'object' ? linesOf(value).join('\n') : String(value)
}

/** True if both are the same setting, whatever the order of a map's members. */
export function isSame(one: unknown, other: unknown): boolean {
  const isMap = (value: unknown): boolean => value !== null && typeof value === 'object' && !Array.isArray(value)
  if (isMap(one) && isMap(other)) return linesOf(one).sort().join('\n') === linesOf(other).sort().join('\n')
  return JSON.stringify(one ?? null) === JSON.stringify(other ?? null)
}

const FLAGS = SETTINGS.flatMap((setting) => (setting.kind === 'switch' ? [setting, { ...setting, option: setting.off ?? '' }] : []))

/** Returns a request's settings that change nothing: the command's struct has each switch and list. */
export function noChanges(): Record<string, unknown> {
  const login: Record<string, unknown> = {}
  const top: Record<string, unknown> = { login, openid: {}, quotas: {} }
  for (const setting of SETTINGS) {
    const place = placeOf(setting, top)
    if (setting.group === 'quotas') continue
    if (setting.kind === 'lines') {
      for (const name of [setting.option, setting.add, setting.remove]) if (name) place[name] = []
    }
    if (setting.off !== undefined) place[setting.off] = false
  }
  for (const { option } of FLAGS) top[option] = false
  login['no_origins'] = false
  return top
}

function lines(text: string): string[] {
  return [...new Set(text.split('\n').map((line) => line.trim()).filter((line) => line !== ''))]
}

function parsed(setting: Setting, text: string): unknown {
  if (setting.kind === 'choice' && (text === 'true' || text === 'false')) return text === 'true'
  return text.trim()
}

/**
 * Returns the request's settings that set this field's text, or that take the setting away.
 *
 * @param seen the value that the operator saw
 */
export function change(setting: Setting, text: string, seen: unknown): Record<string, unknown> {
  const settings = noChanges()
  const place = placeOf(setting, settings)
  if (setting.kind === 'switch') {
    place[text === 'true' ? setting.option : setting.off ?? ''] = true
  } else if (setting.add !== undefined && setting.remove !== undefined) {
    const before = linesOf(seen)
    const after = lines(text)
    place[setting.add] = after.filter((line) => !before.includes(line))
    place[setting.remove] = before.filter((line) => !after.includes(line))
  } else if (setting.kind === 'lines') {
    const after = lines(text)
    if (after.length > 0) place[setting.option] = after
    else if (setting.off !== undefined) place[setting.off] = true
  } else if (text.trim() === '' && setting.off !== undefined) {
    place[setting.off] = true
  } else {
    place[setting.option] = parsed(setting, text)
  }
  return settings
}
