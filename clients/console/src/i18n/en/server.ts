// The server's sentences are English already. Other languages have theirs by code.

export type Values = Record<string, string>

/** Words with the values' places in braces, or made from the values. */
export type Template = string | ((values: Values) => string)

/** The sentences of answers, by their codes. */
export const sentences: Record<string, Template> = {}

/** Why a request is refused, by the codes of refusals. */
export const refusals: Record<string, Template> = {}

/** What needs attention, by kind. A step that is a command stays one. */
export const troubles: Record<string, { title: Template, detail: Template, step?: Template }> = {}

/** The words for the quotas in `quota_nearly_used`, by option. */
export const quotasInUse: Record<string, string> = {}

/** The names of a link host's checks. */
export const checkNames: Record<string, string> = {}
