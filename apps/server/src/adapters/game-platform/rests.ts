// After a 429 a bot is not used for that kind of call for a while, and goes on with all others. Only when
// several bots are refused one kind within a minute is it our address, or what we send: then nothing makes
// that kind of call. All processes know of each rest, and so does the operator.
import type { Db, Queryable } from '#infra/database/db'
import {
  deleteStoredValue,
  listStoredValues,
  writeStoredValue,
} from '#infra/database/stored-values'
import type { Clock } from '#infra/process/clock'
import type { Log, Metrics } from '../shared/feed-counters.ts'
import { type CallKind, type CallKinds, callKindNames } from './call-kinds.ts'

export interface Rests {
  /** How long this bot, or an anonymous caller, makes no call of the kind; 0: it may. */
  waitMs(kind: CallKind, botId: string | null): Promise<number>
  /** The platform answered 429: how long the kind rests now. */
  refused(kind: CallKind, botId: string | null): Promise<number>
  /** It answered anything else to a call that was made at that time. */
  served(kind: CallKind, botId: string | null, askedAtMs: number): Promise<void>
}

export interface RestsOptions {
  readonly db: Db
  readonly clock: Clock
  readonly log: Log
  readonly metrics: Metrics
  /** The first rest; each refusal after it doubles it, up to fifteen times as long. */
  readonly restMs: number
  readonly countBots: () => Promise<number>
}

const MOST_RESTS = 15
const BOTS_THAT_BAR = 3
const WITHIN_MS = 60_000
/** What other processes have learned is looked at again after so long. */
const KNOWN_FOR_MS = 1_000
/** A rest of a bot that is used no more says nothing. */
const FORGOTTEN_AFTER_MS = 86_400_000

const NAME_PREFIX = 'platform-rest:'
const ADDRESS = 'address'

interface Known {
  readonly sinceMs: number
  readonly refusedAtMs: number
  readonly untilMs: number
  readonly spanMs: number
}

const nameOf = (kind: CallKind, botId: string | null): string =>
  `${NAME_PREFIX}${kind}:${botId ?? ADDRESS}`

export function createRests(options: RestsOptions): Rests {
  const { db, clock, log, metrics, restMs } = options
  const refusals = metrics.counter(
    'platform_refused_total',
    'Calls that the platform answered with 429',
    ['kind'],
  )
  const barred = metrics.gauge(
    'platform_kinds_barred',
    'Whether the platform refuses a kind of call to our address',
    ['kind'],
  )
  const asked = new Set<CallKind>()
  let known = new Map<string, Known>()
  let readAtMs = Number.NEGATIVE_INFINITY
  /** What is read while something is written may be older than it. */
  let writes = 0
  const nowMs = (): number => clock.now().getTime()

  const refresh = async (): Promise<void> => {
    const atMs = nowMs()
    if (atMs - readAtMs < KNOWN_FOR_MS && atMs >= readAtMs) return
    readAtMs = atMs
    const writesBefore = writes
    const read = await readRests(db, atMs)
    if (writes === writesBefore) known = read
  }

  metrics.onScrape(() => {
    for (const kind of callKindNames) barred.labels(kind).set(known.has(nameOf(kind, null)) ? 1 : 0)
    // For the next scrape: a process that makes no calls learns nothing else of them.
    void refresh().catch(() => {})
  })

  /** What a platform has answered stands, whether or not it could be written down. */
  const write = async (name: string, value: Known | null): Promise<void> => {
    if (value === null) known.delete(name)
    else known.set(name, value)
    writes += 1
    try {
      await db.transaction((tx) =>
        value === null
          ? deleteStoredValue(tx, name).then(() => {})
          : writeStoredValue(tx, name, value),
      )
    } catch (error) {
      log.warn({ err: error, name }, 'a pause of calls to the platform was not recorded')
    } finally {
      writes += 1
    }
  }

  const extend = async (name: string): Promise<Known> => {
    const atMs = nowMs()
    const before = known.get(name)
    // Calls that were under way when the rest began are refused as well.
    if (before !== undefined && before.untilMs > atMs) return before
    const spanMs = before === undefined ? restMs : Math.min(before.spanMs * 2, restMs * MOST_RESTS)
    const after = {
      ...{ sinceMs: before?.sinceMs ?? atMs, refusedAtMs: atMs },
      ...{ untilMs: atMs + spanMs, spanMs },
    }
    await write(name, after)
    return after
  }

  const isOfTheAddress = async (kind: CallKind): Promise<boolean> => {
    if (known.has(nameOf(kind, null))) return true
    const atMs = nowMs()
    const count = [...known].filter(
      ([name, { refusedAtMs }]) =>
        name.startsWith(`${NAME_PREFIX}${kind}:`) && atMs - refusedAtMs < WITHIN_MS,
    ).length
    const bots = await options.countBots().catch(() => BOTS_THAT_BAR)
    return count >= Math.min(BOTS_THAT_BAR, Math.max(1, bots))
  }

  return {
    async waitMs(kind, botId) {
      await refresh()
      const untilMs = [nameOf(kind, botId), nameOf(kind, null)].map(
        (name) => known.get(name)?.untilMs ?? 0,
      )
      return Math.max(0, Math.max(...untilMs) - nowMs())
    },
    async refused(kind, botId) {
      refusals.labels(kind).inc()
      if (!asked.has(kind)) {
        log.error(
          { kind, alarm: 'headers_suspected' },
          'the platform refuses the first call of a kind: it may expect other headers',
        )
      }
      asked.add(kind)
      const own = await extend(nameOf(kind, botId))
      if (botId === null || !(await isOfTheAddress(kind))) return own.untilMs - nowMs()
      const wasBarred = known.has(nameOf(kind, null))
      const all = await extend(nameOf(kind, null))
      if (!wasBarred) log.warn({ kind }, 'the platform refuses a kind of call to our address')
      return Math.max(own.untilMs, all.untilMs) - nowMs()
    },
    async served(kind, botId, askedAtMs) {
      asked.add(kind)
      for (const name of new Set([nameOf(kind, botId), nameOf(kind, null)])) {
        const rest = known.get(name)
        if (rest !== undefined && askedAtMs >= rest.untilMs) await write(name, null)
      }
    },
  }
}

async function readRests(db: Queryable, atMs: number): Promise<Map<string, Known>> {
  const stored = await listStoredValues<Known>(db, NAME_PREFIX)
  const recent = stored.filter(({ value }) => atMs - value.untilMs < FORGOTTEN_AFTER_MS)
  return new Map(recent.map(({ name, value }) => [name, value]))
}

/** For the operator: what each kind carries, and what of it rests or was refused and not served since. */
export async function readKindsWithRests(db: Queryable, kinds: CallKinds, now: Date) {
  const rests = await readRests(db, now.getTime())
  const restOf = ({ sinceMs, untilMs }: Known) => ({
    since: new Date(sinceMs),
    until: new Date(untilMs),
  })
  return callKindNames.map((kind) => {
    const barred = rests.get(nameOf(kind, null))
    const prefix = nameOf(kind, '')
    const bots = [...rests]
      .filter(([name]) => name.startsWith(prefix) && name !== nameOf(kind, null))
      .map(([name, rest]) => ({ botId: name.slice(prefix.length), ...restOf(rest) }))
    return { kind, ...kinds[kind], barred: barred === undefined ? null : restOf(barred), bots }
  })
}
