// Judging: readings of all components become periods. One judge at a time.
import type { Tx } from '#infra/database/db'
import { type Component, decide, type Period, type Reading } from './status.ts'
import {
  beginPeriod,
  endPeriod,
  listCurrent,
  lockJudging,
  type MarketFigures,
  noteJudging,
  noteSeen,
  purgePeriods,
  setReason,
  writeMarketFigures,
} from './store.ts'

/** What merchants read while no worker carries out what they ask for. */
export const SILENCE_REASON = 'New business is not being processed at the moment.'

/** Ten days longer than the page shows. */
const KEPT_MS = 100 * 86_400_000

/**
 * Writes down what readings change, and answers those changes. `readings` name every component that there
 * is: one that is missing has gone. When none was judged for `silenceMs` or longer there was no worker, and
 * trading was paused from then on.
 */
export async function judge(
  tx: Tx,
  {
    readings,
    figures,
    silenceMs,
    at,
  }: {
    readonly readings: readonly Reading[]
    readonly figures: readonly MarketFigures[]
    readonly silenceMs: number
    readonly at: Date
  },
): Promise<Period[]> {
  const judgedAt = await lockJudging(tx)
  await noteJudging(tx, at)
  const current = new Map((await listCurrent(tx)).map((period) => [keyOf(period), period]))
  const changes: Period[] = []
  const apply = async (reading: Reading): Promise<void> => {
    const key = keyOf(reading)
    const period = current.get(key)
    if (period === undefined) {
      current.set(key, await begin(tx, reading, at))
      return
    }
    const changed = await applyTo(tx, period, reading, at)
    if (changed === null) return
    current.set(key, changed)
    changes.push(changed)
  }
  const silentSince = silenceOf(judgedAt, silenceMs, at)
  const wasTrading = current.get(keyOf(TRADING))?.status === 'operational'
  if (silentSince !== null && wasTrading) await apply(silence(silentSince))
  for (const reading of readings) await apply(reading)
  const named = new Set(readings.map(keyOf))
  for (const [key, period] of current) if (!named.has(key)) await endPeriod(tx, period.id, at)
  await writeMarketFigures(tx, figures)
  await purgePeriods(tx, new Date(at.getTime() - KEPT_MS))
  return changes
}

/**
 * For a process that is no worker: writes down that trading has been paused since workers became silent, and
 * answers that change. Null: a worker has looked lately, or the pause is known.
 */
export async function judgeSilence(
  tx: Tx,
  { silenceMs, at }: { readonly silenceMs: number; readonly at: Date },
): Promise<Period | null> {
  const silentSince = silenceOf(await lockJudging(tx), silenceMs, at)
  if (silentSince === null) return null
  const trading = (await listCurrent(tx)).find((period) => keyOf(period) === keyOf(TRADING))
  if (trading?.status !== 'operational') return null
  return applyTo(tx, trading, silence(silentSince), at)
}

const TRADING: Component = { component: 'trading', name: '' }

export const keyOf = ({ component, name }: Component): string => `${component} ${name}`

/** From when on no worker was there; null: one has looked lately, or none ever has. */
function silenceOf(judgedAt: Date | null, silenceMs: number, at: Date): Date | null {
  if (judgedAt === null) return null
  const silentSince = judgedAt.getTime() + silenceMs
  return silentSince <= at.getTime() ? new Date(silentSince) : null
}

const silence = (since: Date): Reading => ({
  ...TRADING,
  ...{ status: 'paused', reason: SILENCE_REASON, since },
})

async function applyTo(tx: Tx, period: Period, reading: Reading, at: Date): Promise<Period | null> {
  const decision = decide(period, reading, at)
  if (decision.kind === 'same') {
    // Paused for another reason: the same pause, in other words.
    const isReworded = reading.status === period.status && reading.reason !== period.reason
    if (isReworded) await setReason(tx, period.id, reading.reason)
    return null
  }
  if (decision.kind === 'seen') {
    await noteSeen(tx, period.id, decision)
    return null
  }
  await endPeriod(tx, period.id, decision.at)
  return begin(tx, reading, decision.at, period)
}

const begin = (
  tx: Tx,
  { component, name, status, reason }: Reading,
  fromAt: Date,
  before?: Period,
): Promise<Period> =>
  beginPeriod(tx, {
    ...{ component, name, reason, fromAt },
    status: status ?? 'operational',
    previous: before?.status ?? null,
  })
