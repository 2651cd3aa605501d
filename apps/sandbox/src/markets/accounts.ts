import type { MarketId } from '../dataset/types.ts'
import type { Store } from '../store/store.ts'
import type { Order } from './order.ts'

/** What each key starts with at its market: a million dollars. */
const STARTING_BALANCE_MILLS = 1_000_000_000

/**
 * The brokerage's accounts at the markets, one a key. A balance is never stored: it is what the
 * account was given, less what its orders cost, so it cannot disagree with them after a restart.
 */
export interface Accounts {
  has(market: MarketId, key: string): boolean
  keys(market: MarketId): readonly string[]
  balanceMills(market: MarketId, key: string): number
  /** Gives or takes so that this is the balance from now on. */
  setBalance(market: MarketId, key: string, balanceMills: number): void
  /** Money of the account that cannot be spent yet, which only market A knows. */
  settlingMills(market: MarketId, key: string): number
  setSettling(market: MarketId, key: string, settlingMills: number): void
  /** Only market A keeps accounts in other currencies than the dollar. */
  currency(market: MarketId, key: string): string
  setCurrency(market: MarketId, key: string, currency: string): void
  /** Counts an order in: what it cost, or what another stage of it gave back. */
  apply(order: Order, before: Order | null): void
}

export function createAccounts(
  keys: Readonly<Record<MarketId, readonly string[]>>,
  store: Store,
): Accounts {
  const grants = new Map<string, number>(
    JSON.parse(store.readSetting('grants') ?? '[]') as [string, number][],
  )
  const spent = new Map<string, number>()
  const settling = new Map<string, number>()
  const currencies = new Map<string, string>()
  const nameOf = (market: MarketId, key: string): string => `${market}:${key}`
  const balanceMills = (market: MarketId, key: string): number => {
    const name = nameOf(market, key)
    return STARTING_BALANCE_MILLS + (grants.get(name) ?? 0) - (spent.get(name) ?? 0)
  }

  return {
    has: (market, key) => keys[market].includes(key),
    keys: (market) => keys[market],
    balanceMills,
    setBalance(market, key, wantedMills) {
      const name = nameOf(market, key)
      const differenceMills = wantedMills - balanceMills(market, key)
      grants.set(name, (grants.get(name) ?? 0) + differenceMills)
      store.writeSetting('grants', JSON.stringify([...grants]))
    },
    settlingMills: (market, key) => settling.get(nameOf(market, key)) ?? 0,
    setSettling: (market, key, mills) => void settling.set(nameOf(market, key), mills),
    currency: (market, key) => currencies.get(nameOf(market, key)) ?? 'USD',
    setCurrency: (market, key, currency) => void currencies.set(nameOf(market, key), currency),
    apply(order, before) {
      const name = nameOf(order.market, order.account)
      const costMills = costOf(order) - (before === null ? 0 : costOf(before))
      spent.set(name, (spent.get(name) ?? 0) + costMills)
    },
  }
}

function costOf(order: Order): number {
  return order.paidMills - order.progress.refundMills
}
