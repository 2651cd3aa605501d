// The name of what a line reports. Searches and rules of operators go by it, so it outlives its sentence:
// docs/log-events.md lists every one, and a sentence that is worded anew keeps its name by a field `event`.

/** Of the field `event`, else of the field `alarm`, else made from the sentence, without its secrets. */
export function eventOf(
  fields: object,
  message: string,
  withoutSecrets: (text: string) => string,
): string {
  const { event, alarm } = fields as { readonly event?: unknown; readonly alarm?: unknown }
  if (typeof event === 'string') return event
  if (typeof alarm === 'string') return alarm
  let name = names.get(message)
  if (name === undefined) {
    name = eventName(withoutSecrets(message))
    if (names.size < MAX_NAMES) names.set(message, name)
  }
  return name
}

/** Sentences are literals, so there are few; one that is made of values must not fill the memory. */
const MAX_NAMES = 1000
const names = new Map<string, string>()

/** `the database is lost: what fails is counted` becomes `database_is_lost`. */
export const eventName = (message: string): string =>
  (message.split(':')[0] ?? '')
    .toLowerCase()
    .replace(/['’]/g, '')
    .replace(/\b(the|an?)\b/g, ' ')
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_|_$/g, '')
