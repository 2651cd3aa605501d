// Keeps the last answer of each operation, in the form in which the reference shows it: lists cut to two
// rows, secrets and addresses of this machine replaced.
import type { Call } from '../../support/client.ts'

type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json }

/** A list or a map of the reference shows so many entries. */
const SHOWN = 2
/** An object with more fields than any shape has is a map. */
const MAP_FROM = 40
const SECRETS: Readonly<Record<string, string>> = {
  apiKey: '<API_KEY>',
  token: '<WS_TOKEN>',
  quoteToken: '<QUOTE_TOKEN>',
}

/** Calls as its client does, and keeps what is answered. */
export interface Recorder<Known extends Gets> {
  readonly get: Known['get']
  /** By operation, in the order of their names. */
  answers(): Readonly<Record<string, Json>>
}

interface Gets {
  get(id: never, call?: Call): Promise<unknown>
}

/** `origins` are replaced by what stands for them. */
export function createRecorder<Known extends Gets>(
  client: Known,
  origins: Readonly<Record<string, string>>,
): Recorder<Known> {
  const kept = new Map<string, Json>()
  const get = async (id: never, call?: Call): Promise<unknown> => {
    const data = await client.get(id, call)
    kept.set(id, shown(data as Json, origins))
    return data
  }
  return {
    get: get as Known['get'],
    answers: () => Object.fromEntries([...kept].sort(([one], [other]) => (one < other ? -1 : 1))),
  }
}

function shown(value: Json, origins: Readonly<Record<string, string>>): Json {
  if (typeof value === 'string') {
    return Object.entries(origins).reduce((text, [from, to]) => text.replaceAll(from, to), value)
  }
  if (Array.isArray(value)) return value.slice(0, SHOWN).map((each) => shown(each, origins))
  if (value === null || typeof value !== 'object') return value
  const entries = Object.entries(value)
  return Object.fromEntries(
    (entries.length > MAP_FROM ? entries.slice(0, SHOWN) : entries).map(([name, part]) => [
      name,
      isSecret(name, part) ? (SECRETS[name] ?? part) : shown(part, origins),
    ]),
  )
}

/** A token of a chain has a short name. */
const isSecret = (name: string, part: Json): boolean =>
  name in SECRETS && typeof part === 'string' && part.length > 20
