import type { Clock } from '#infra/process/clock'
import { describe, discard, download } from '../shared/download.ts'
import type { Log } from '../shared/feed-counters.ts'
import { readJsonElements } from '../shared/json-elements.ts'
import { fieldsOf, idOf, own, textOf } from '../shared/reader.ts'
import type { MarketASettings } from './settings.ts'

/** Market A's numbers of names. Keyless and not counted in the call budget. */
export interface NameBook {
  /** Null while the number is unknown; the list is then read again, in the background. */
  nameOf(nameId: string): string | null
}

const RELOAD_AFTER_MS = 60_000
const DEADLINE_MS = 60_000
const MAX_BYTES = 64 * 1024 * 1024

export function createNameBook({
  settings,
  clock,
  log,
  signal,
}: {
  readonly settings: MarketASettings
  readonly clock: Clock
  readonly log: Log
  readonly signal: AbortSignal
}): NameBook {
  let names: ReadonlyMap<string, string> = new Map()
  let triedAtMs = Number.NEGATIVE_INFINITY

  const reload = (): void => {
    const nowMs = clock.now().getTime()
    if (signal.aborted || nowMs - triedAtMs < RELOAD_AFTER_MS) return
    triedAtMs = nowMs
    readNames(settings.baseUrl, signal).then(
      (read) => {
        names = read
      },
      (error: unknown) => {
        // Without names the hints are lost, but the next snapshot makes up for them.
        triedAtMs = nowMs - RELOAD_AFTER_MS + 5_000
        if (!signal.aborted) {
          log.warn(
            { event: 'market_names_failed', market: 'market_a', reason: describe(error) },
            'market name list unavailable',
          )
        }
      },
    )
  }
  reload()

  return {
    nameOf(nameId) {
      const name = names.get(nameId)
      if (name === undefined) reload()
      return name ?? null
    },
  }
}

async function readNames(
  baseUrl: string,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const url = `${baseUrl}/api/v2/dictionary/names.json`
  const answer = await download({ url, deadlineMs: DEADLINE_MS, maxBytes: MAX_BYTES, signal })
  if (answer.kind === 'failed') throw new Error(answer.detail)
  if (answer.status !== 200) {
    await discard(answer)
    throw new Error(`status ${answer.status}`)
  }
  const names = new Map<string, string>()
  for await (const row of readJsonElements(answer.chunks)) {
    const fields = fieldsOf(row)
    const id = fields === null ? null : idOf(own(fields, 'id'))
    const name = fields === null ? null : textOf(own(fields, 'hash_name'))
    if (id !== null && name !== null) names.set(id, name)
  }
  return names
}
