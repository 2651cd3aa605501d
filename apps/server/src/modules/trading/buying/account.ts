// One of our accounts at a market: whether orders are paid from it, and how much a buyer may still spend
// there. Pure.
import type { AccountReading } from '#catalog'
import { type Mills, mills } from '#kernel/money'
import type { MarketId } from './ports.ts'

/**
 * `in_question`: an order was refused for lack of money, and the balance is being read; `low`: what may be
 * spent does not cover what waits, so nothing more is sold, and what it covers is still ordered.
 */
export type ClosedBecause = 'in_question' | 'no_funds' | 'low' | 'forbidden' | 'currency'

export interface MarketAccount {
  readonly market: MarketId
  readonly name: string
  readonly state: 'enabled' | 'draining' | 'disabled'
  /** `feed`: nothing is bought with it. */
  readonly use: 'buying' | 'feed' | 'both'
  readonly keyVersion: number
  /** Of its calls, in the unit of its market's setting; null: what the setting says. */
  readonly pace: number | null
  readonly currency: string | null
  readonly reserveMills: Mills
  readonly balanceMills: Mills | null
  /** When the call that read the balance began. */
  readonly balanceAt: Date | null
  readonly closedAt: Date | null
  readonly closedBecause: ClosedBecause | null
  /** The market's own words. */
  readonly closedDetail: string | null
  /** Closed for lack of money: it opens when so much may be spent. */
  readonly opensAtMills: Mills | null
  /** Refusals for lack of money in a row, though the balance covered the price. */
  readonly refusals: number
  /** What orders of seven days have cost that were not given back; null until it was counted. */
  readonly spentWeekMills: Mills | null
}

/** What is counted beside the account. */
export interface AccountFigures {
  /** Balance less reserve, less what left since it was read or is under way; null while it is not known. */
  readonly spendableMills: bigint | null
  /** The same without what is under way: orders that are being refused leave nothing. */
  readonly settledMills: bigint | null
  /** What the items that wait at the market may cost together, whichever account they go to. */
  readonly waitingMills: bigint
  readonly waiting: number
  /** The other accounts at the market. */
  readonly others: readonly OtherAccount[]
}

export type OtherAccount = Pick<MarketAccount, 'state' | 'use' | 'closedBecause'> &
  Pick<AccountFigures, 'spendableMills'>

type Closing = Pick<
  MarketAccount,
  'closedAt' | 'closedBecause' | 'closedDetail' | 'opensAtMills' | 'refusals'
>

const OPEN = {
  closedAt: null,
  closedBecause: null,
  closedDetail: null,
  opensAtMills: null,
} as const

/** So many refusals in a row are believed against a balance that covers them. */
const REFUSALS_BELIEVED = 5

/** An order was refused for lack of money: nothing is sent until the balance says whether that is so. */
export function question(
  account: MarketAccount,
  { ceilingMills, detail, at }: { ceilingMills: Mills; detail: string; at: Date },
): MarketAccount {
  const refusals = account.refusals + 1
  if (account.closedBecause !== null && account.closedBecause !== 'low') {
    return { ...account, refusals }
  }
  const closing: Closing = {
    ...{ closedAt: at, closedBecause: 'in_question', closedDetail: detail },
    ...{ opensAtMills: ceilingMills, refusals },
  }
  return { ...account, ...closing }
}

/** The market does not serve the account at all. */
export function close(
  account: MarketAccount,
  { because, detail, at }: { because: 'forbidden' | 'currency'; detail: string; at: Date },
): MarketAccount {
  if (account.closedBecause === because) {
    return account.closedDetail === detail ? account : { ...account, closedDetail: detail }
  }
  return {
    ...account,
    ...{ closedAt: at, closedBecause: because, closedDetail: detail, opensAtMills: null },
  }
}

/** With what a reading says of balance and currency; nothing when a later one is known. */
export function withBalance(
  account: MarketAccount,
  { askedAt, said }: AccountReading,
): MarketAccount {
  const isOlder = account.balanceAt !== null && askedAt <= account.balanceAt
  if (said.kind === 'refused' || isOlder) return account
  const { currency, balanceMills } = said
  return { ...account, currency, balanceMills, balanceAt: askedAt }
}

/** Whether a reading closes the account or opens it; figures are those of the account with its balance. */
export function judgeReading(
  account: MarketAccount,
  { askedAt, said }: AccountReading,
  { settledMills }: AccountFigures,
): MarketAccount {
  const { closedAt, closedBecause } = account
  if (said.kind === 'refused') {
    return close(account, { because: said.because, detail: said.detail, at: askedAt })
  }
  // A reading from before it was closed says nothing of what came then.
  if (closedAt === null || closedBecause === null || askedAt < closedAt) return account
  switch (closedBecause) {
    case 'forbidden':
    case 'currency':
      return { ...account, ...OPEN }
    case 'low':
      return account
    case 'in_question': {
      const covers = (settledMills ?? 0n) >= (account.opensAtMills ?? 0n)
      if (covers && account.refusals < REFUSALS_BELIEVED) return { ...account, ...OPEN }
      return { ...account, closedBecause: 'no_funds', opensAtMills: moreThan(settledMills) }
    }
    case 'no_funds': {
      const opensAt = account.opensAtMills ?? 0n
      if (settledMills !== null && settledMills >= opensAt) {
        return { ...account, ...OPEN, refusals: 0 }
      }
      // Less than before: from here on, more is more than this.
      const next = moreThan(settledMills)
      return next < opensAt ? { ...account, opensAtMills: next } : account
    }
  }
}

/** A question whose balance could not be read for so long is answered by the refusal. */
const QUESTION_MS = 30_000

export const judgeQuestion = (account: MarketAccount, at: Date): MarketAccount =>
  account.closedBecause === 'in_question' &&
  account.closedAt !== null &&
  at.getTime() - account.closedAt.getTime() >= QUESTION_MS
    ? { ...account, closedBecause: 'no_funds' }
    : account

const moreThan = (amountMills: bigint | null): Mills =>
  mills(amountMills === null || amountMills < 0n ? 1n : amountMills + 1n)

/** Low, or no longer: only an account that nothing else closes. The others at its market pay as well. */
export function judgeCover(
  account: MarketAccount,
  { spendableMills, waitingMills, waiting, others }: AccountFigures,
  at: Date,
): MarketAccount {
  const isLow =
    spendableMills !== null &&
    (spendableMills <= 0n || !covers(spendableMills, others, waitingMills))
  if (account.closedBecause === null && isLow) {
    const detail =
      waiting === 0
        ? 'the balance is down to the reserve'
        : `the balance less the reserve does not cover the ${waiting} items that wait`
    return { ...account, closedAt: at, closedBecause: 'low', closedDetail: detail }
  }
  return account.closedBecause === 'low' && !isLow ? { ...account, ...OPEN } : account
}

function covers(
  spendableMills: bigint,
  others: readonly OtherAccount[],
  waitingMills: bigint,
): boolean {
  let sumMills = spendableMills
  for (const other of others) {
    if (!isBuying(other)) continue
    if (other.spendableMills === null) return true
    if (other.spendableMills > 0n) sumMills += other.spendableMills
  }
  return sumMills >= waitingMills
}

/** Whether orders are begun with it: one that is low orders what it covers. */
export const isBuying = ({
  closedBecause,
  ...account
}: Pick<MarketAccount, 'state' | 'use' | 'closedBecause'>): boolean =>
  isForBuying(account) && (closedBecause === null || closedBecause === 'low')

const isForBuying = ({ state, use }: Pick<MarketAccount, 'state' | 'use'>): boolean =>
  state === 'enabled' && use !== 'feed'

const WEEK_DAYS = 7

/** For how many days the balance less the reserve lasts at the pace of seven; null without spending. */
export function coverDaysOf({
  balanceMills,
  reserveMills,
  spentWeekMills,
}: MarketAccount): number | null {
  if (balanceMills === null || spentWeekMills === null || spentWeekMills <= 0n) return null
  const left = balanceMills - reserveMills
  return left <= 0n ? 0 : (Number(left) * WEEK_DAYS) / Number(spentWeekMills)
}

/**
 * The most that a buyer may still spend at the market with all accounts there; 0 takes it out of the shop,
 * null is no bound. One in question counts: its balance is about to be read. An item is paid from one.
 */
export function coverOf(
  account: MarketAccount,
  { spendableMills, waitingMills, others }: AccountFigures,
): Mills | null {
  const open = [{ ...account, spendableMills }, ...others].filter(
    (one) =>
      isForBuying(one) && (one.closedBecause === null || one.closedBecause === 'in_question'),
  )
  let sumMills = -waitingMills
  let mostMills = 0n
  for (const one of open) {
    if (one.spendableMills === null) return null
    sumMills += one.spendableMills
    if (one.spendableMills > mostMills) mostMills = one.spendableMills
  }
  const left = sumMills < mostMills ? sumMills : mostMills
  return mills(open.length > 0 && left > 0n ? left : 0n)
}
