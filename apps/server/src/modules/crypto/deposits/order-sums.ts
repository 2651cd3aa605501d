// Lines of a statement that name no payment or refund, but only its order: what they make together is
// compared with what the books have of that order. A wrong difference would be worse than a late one, so that
// of an order that began before the statement too little is no difference: older lines may be missing.
import type { Db } from '#infra/database/db'
import { type Attos, attos, formatDecimal, ONE_TOKEN, parseDecimal } from '#kernel/decimal'
import { type Cents, cents } from '#kernel/money'
import { type ExactUsd, valueOfCents, valueOfTokens } from './amounts.ts'
import type { ProviderName } from './deposit.ts'
import type { StatementMovement } from './ports.ts'
import { type BookLine, findDepositsOfOrders, type NewDifference } from './store/statements.ts'

const CENT: Cents = cents(1n)
/** Below it the provider's rounding of one movement and ours may differ; nothing is lost to either. */
export const TOLERANCE: ExactUsd = valueOfCents(CENT)
/** Our clock and the provider's may differ. */
const CLOCK_DRIFT_MS = 120_000

export interface OrderSum {
  readonly kind: StatementMovement['kind']
  readonly providerOrderId: string
  /** Null: no deposit of ours has this order. */
  readonly depositId: string | null
  readonly lines: readonly StatementMovement[]
}

export async function sumsOf(
  db: Db,
  provider: ProviderName,
  movements: readonly StatementMovement[],
): Promise<readonly OrderSum[]> {
  const groups = [
    ...Map.groupBy(
      movements.filter(({ ref }) => ref === null),
      ({ kind, providerOrderId }) => `${kind} ${providerOrderId}`,
    ).values(),
  ]
  const orders = groups.flatMap(([line]) => (line ? [line.providerOrderId] : []))
  const deposits = groups.length === 0 ? null : await findDepositsOfOrders(db, provider, orders)
  return groups.flatMap((lines) => {
    const [first] = lines
    if (first === undefined) return []
    const { kind, providerOrderId, orderId } = first
    const depositId = deposits?.get(providerOrderId) ?? orderId
    return [{ kind, providerOrderId, depositId, lines }]
  })
}

interface Differences {
  readonly missing: readonly NewDifference[]
  readonly differing: readonly NewDifference[]
}

/** `books`: what the books have of these orders and no line names. */
export function sumDifferences(
  sums: readonly OrderSum[],
  books: readonly BookLine[],
  window: { readonly from: Date; readonly settledBy: Date },
): Differences {
  const earliest = window.from.getTime() - CLOCK_DRIFT_MS
  const ofOrders = Map.groupBy(
    books.filter(({ bookedAt }) => bookedAt.getTime() >= earliest),
    ({ kind, depositId }) => `${kind} ${depositId}`,
  )
  const missing: NewDifference[] = []
  const differing: NewDifference[] = []
  for (const sum of sums) {
    const { kind, depositId, lines } = sum
    const booked = ofOrders.get(`${kind} ${depositId}`) ?? []
    const settled = lines.filter(({ at }) => at <= window.settledBy)
    const tolerance = TOLERANCE * BigInt(lines.length)
    const inBooks = booked.reduce((total, { amount }) => total + amount, 0n)
    const isMissing = (statedSum(settled, booked) ?? 0n) >= inBooks + tolerance
    if (isMissing || (booked.length === 0 && settled.length > 0)) {
      missing.push(differenceOf(sum, { booked, at: firstOf(lines), problem: 'missing in books' }))
      continue
    }
    const [first] = booked
    const stated = statedSum(lines, booked)
    const isWhole = first !== undefined && first.beganAt >= window.from
    if (isWhole && stated !== null && stated + tolerance <= inBooks) {
      const at = first.beganAt
      differing.push(differenceOf(sum, { booked, at, problem: 'amount differs' }))
    }
  }
  return { missing, differing }
}

/** Null where they cannot be compared with these. */
function statedSum(
  lines: readonly StatementMovement[],
  booked: readonly BookLine[],
): ExactUsd | null {
  const [first] = booked
  if (first === undefined) return null
  let sum: ExactUsd = 0n
  for (const line of lines) {
    const amount = statedAmount(line, first)
    if (amount === null) return null
    sum += amount
  }
  return sum
}

const STABLE = new Set(['USDT', 'USDC', 'DAI'])

/**
 * What a line states in the terms of the books: of a payment its dollars, of a refund the tokens that were
 * paid. Null where it states another coin: then only that it is there is compared.
 */
export function statedAmount(
  { kind, currency, amountToken }: StatementMovement,
  { token }: Pick<BookLine, 'token'>,
): ExactUsd | null {
  const isComparable = kind === 'payment' ? STABLE.has(currency) : currency === token
  return isComparable ? exactly(amountToken) : null
}

const exactly = (amountToken: string): ExactUsd =>
  valueOfTokens(parseDecimal(amountToken) ?? (0n as Attos), ONE_TOKEN)

const firstOf = (lines: readonly StatementMovement[]): Date =>
  lines.reduce((first, { at }) => (at < first ? at : first), lines[0]?.at ?? new Date(0))

function differenceOf(
  { kind, providerOrderId, depositId, lines }: OrderSum,
  {
    booked,
    ...difference
  }: { readonly booked: readonly BookLine[] } & Pick<NewDifference, 'at' | 'problem'>,
): NewDifference {
  const inBooks = booked.reduce((total, { amount }) => total + amount, 0n)
  return {
    ...{ kind, depositId, ...difference },
    ref: providerOrderId,
    details: {
      statement: sumText(lines),
      lines: String(lines.length),
      ...(booked.length === 0 ? {} : { books: formatDecimal(attos(inBooks / ONE_TOKEN)) }),
    },
  }
}

/** `12.5 USDT`, and with a plus between them where there are several coins. */
function sumText(lines: readonly StatementMovement[]): string {
  const sums = new Map<string, bigint>()
  for (const { amountToken, currency } of lines) {
    sums.set(currency, (sums.get(currency) ?? 0n) + (parseDecimal(amountToken) ?? 0n))
  }
  return [...sums].map(([currency, sum]) => `${formatDecimal(attos(sum))} ${currency}`).join(' + ')
}
