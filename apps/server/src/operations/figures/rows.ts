// What an event, or an hour of something that has no events, adds to the figures.
import type { EventInOrder } from '#outbox'
import type { ItemOutcome, TradeOutcome } from '#trades'
import { bucketOf } from './histogram.ts'

/**
 * `begun`: trades, by type. `ended`: trades, by state. `volume`, `fees`: US cents of completed trades, and
 * what the service took. `penalties`: US cents. `items`: items of ended buys, by market and state. `refunds`:
 * items, by cause, and US cents. `offer`, `delivery`: buys, by the bucket of the time since they began.
 * `attempts`: webhooks, by success. `deposits`, `payouts`: payments credited and confirmed, and US cents.
 */
export type FigureName =
  | 'begun'
  | 'ended'
  | 'volume'
  | 'fees'
  | 'penalties'
  | 'items'
  | 'refunds'
  | 'offer'
  | 'delivery'
  | 'attempts'
  | 'deposits'
  | 'payouts'

export interface Addition {
  readonly tenantId: string
  /** Within the hour and day that it is added to. */
  readonly at: Date
  readonly figure: FigureName
  readonly label: string
  readonly count: number
  readonly usdCents: bigint
}

const ENDS = new Set(['completed', 'reverted', 'declined', 'canceled', 'failed'])
const UNKNOWN = 'unknown'

type Part = Pick<Addition, 'figure'> & Partial<Pick<Addition, 'label' | 'count' | 'usdCents'>>

/** What an event of a trade adds. `marketOf`: where a bought item was ordered. */
export function additionsOf(
  { type, tenantId, createdAt, payload }: EventInOrder,
  trade: TradeOutcome,
  marketOf: ReadonlyMap<string, string>,
): Addition[] {
  return partsOf(type.replace('trade.', ''), { createdAt, payload }, trade, marketOf).map(
    ({ figure, label = '', count = 1, usdCents = 0n }) => ({
      ...{ tenantId, at: createdAt, figure, label, count, usdCents },
    }),
  )
}

function partsOf(
  what: string,
  { createdAt, payload }: Pick<EventInOrder, 'createdAt' | 'payload'>,
  trade: TradeOutcome,
  marketOf: ReadonlyMap<string, string>,
): Part[] {
  const isBuy = trade.type === 'buy'
  const bucket = String(bucketOf(createdAt.getTime() - trade.createdAt.getTime()))
  if (what === 'initiated') return [{ figure: 'begun', label: trade.type }]
  if (what === 'active') return isBuy ? [{ figure: 'offer', label: bucket }] : []
  if (what === 'hold') return isBuy ? [{ figure: 'delivery', label: bucket }] : []
  if (what === 'refunded') return refundOf(payload, trade)
  if (!ENDS.has(what)) return []
  return [
    { figure: 'ended', label: what },
    ...(isBuy ? trade.items.map((item) => itemOf(item, marketOf)) : []),
    ...(what === 'completed'
      ? ([
          { figure: 'volume', usdCents: trade.completedUsd },
          { figure: 'fees', usdCents: trade.houseFeeUsd },
        ] as const)
      : []),
  ]
}

const itemOf = ({ id, status }: ItemOutcome, marketOf: ReadonlyMap<string, string>): Part => ({
  figure: 'items',
  label: `${marketOf.get(id) ?? UNKNOWN} ${status}`,
})

function refundOf(payload: EventInOrder['payload'], trade: TradeOutcome): Part[] {
  const { itemId, refundedUsdCents, penaltyUsdCents } = payload
  const item = trade.items.find(({ id }) => id === itemId)
  const refund: Part = {
    figure: 'refunds',
    label: causeOf(item),
    usdCents: BigInt(Number(refundedUsdCents ?? 0)),
  }
  const penalty = BigInt(Number(penaltyUsdCents ?? 0))
  return penalty === 0n ? [refund] : [refund, { figure: 'penalties', usdCents: penalty }]
}

/** The code with which it failed; else how it came back. */
function causeOf(item: ItemOutcome | undefined): string {
  if (item === undefined) return UNKNOWN
  const { failureCode, revertedBy, status } = item
  return failureCode ?? (revertedBy === null ? status : `reverted_by_${revertedBy}`)
}

/** One of each that differs in anything but its amounts, for hours and for days. */
export function sumsOf(additions: readonly Addition[]): (Addition & { readonly unit: Unit })[] {
  const sums = new Map<string, Addition & { readonly unit: Unit }>()
  for (const addition of additions) {
    for (const unit of UNITS) {
      const at = startOf(unit, addition.at)
      const key = [addition.tenantId, unit, at.getTime(), addition.figure, addition.label].join(' ')
      const sum = sums.get(key)
      sums.set(key, {
        ...{ ...addition, unit, at },
        count: (sum?.count ?? 0) + addition.count,
        usdCents: (sum?.usdCents ?? 0n) + addition.usdCents,
      })
    }
  }
  return [...sums.values()]
}

export type Unit = 'hour' | 'day'
const UNITS: readonly Unit[] = ['hour', 'day']
export const HOUR_MS = 3_600_000
export const MS: Readonly<Record<Unit, number>> = { hour: HOUR_MS, day: 24 * HOUR_MS }

/** The start of the hour or day of UTC. */
export const startOf = (unit: Unit, at: Date): Date =>
  new Date(Math.floor(at.getTime() / MS[unit]) * MS[unit])
