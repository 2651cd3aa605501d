// The dashboard's views for administrators.
import type {
  AdminAccount,
  AdminAccounts,
  AdminHealth,
  AdminMarketAccount,
} from '@tradepost/contract'
import type { Static } from 'typebox'
import type { ListState } from '#catalog'
import type { ListedAccount } from '#identity'
import { ZERO_CENTS } from '#kernel/money'
import type { Page } from '#kernel/page'
import type { Wallet } from '#ledger'
import type { MarketHealthEntry, MarketsHealth, PacedAccount, SupplierAccount } from '#operations'
import { moneyNumber } from '../money.ts'

export const accountsView = (
  { items, ...page }: Page<ListedAccount>,
  wallets: readonly Wallet[],
): Static<typeof AdminAccounts> => ({
  items: items.map((account) => accountView(account, wallets)),
  ...page,
})

export const accountView = (account: ListedAccount, wallets: readonly Wallet[]): AdminAccount => {
  const spot = wallets.find(({ ownerId, kind }) => ownerId === account.id && kind === 'spot')
  return {
    id: account.id,
    kind: account.kind as AdminAccount['kind'],
    email: account.email,
    name: account.name,
    status: account.status,
    tier: account.tier,
    currency: account.currency,
    balance: moneyNumber(spot?.balance ?? ZERO_CENTS),
    createdAt: account.createdAt.toISOString(),
  }
}

export const healthView = (
  { status, at, markets, service }: MarketsHealth,
  {
    lists,
    stubItems,
    reversals,
    accounts,
    ...details
  }: Omit<AdminHealth, 'status' | 'at' | 'markets' | 'catalogue' | 'supplierAccounts'> & {
    readonly accounts: readonly SupplierAccount[]
    readonly lists: readonly ListState[]
    readonly stubItems: number
    readonly reversals: ReadonlyMap<string, number>
  },
): AdminHealth => ({
  ...{ status, at: at.toISOString() },
  ...details,
  // One that an operator has closed is not missed.
  supplierAccounts: accounts.filter(({ state }) => state === 'enabled').map(accountStateView),
  markets: Object.entries(markets).map(([id, entry]) => ({
    ...marketView(entry),
    id,
    reversals: reversals.get(id) ?? 0,
    inService: service[id as keyof typeof service] ?? false,
  })),
  catalogue: {
    lists: lists.map((list) => ({ ...list, goodAt: list.goodAt.toISOString() })),
    stubItems,
  },
})

const accountStateView = (account: SupplierAccount): AdminHealth['supplierAccounts'][number] => ({
  market: account.market,
  account: account.name,
  closedBecause: account.closedBecause,
  closedAt: account.closedAt?.toISOString() ?? null,
  balanceUsd: account.balanceMills === null ? null : Number(account.balanceMills) / 1000,
  waiting: account.waiting,
  waitingUsd: Number(account.waitingMills) / 1000,
  coverDays: account.coverDays,
})

export const marketAccountView = (account: PacedAccount): AdminMarketAccount => ({
  market: account.market,
  account: account.name,
  enabled: account.state === 'enabled',
  use: account.use,
  closedBecause: account.closedBecause,
  balanceUsd: account.balanceMills === null ? null : Number(account.balanceMills) / 1000,
  reserveUsd: Number(account.reserveMills) / 1000,
  spendableUsd: account.spendableMills === null ? null : Number(account.spendableMills) / 1000,
  waiting: account.waiting,
  coverDays: account.coverDays,
  placedPerMinute: account.placedPerMinute,
})

const marketView = (entry: MarketHealthEntry) => ({
  status: entry.status,
  queueDepth: entry.commonQueue.depth,
  oldestAgeMs: entry.commonQueue.oldestAgeMs,
  expectedWaitSeconds: entry.expectedWaitSeconds,
  consumers: entry.commonConsumers,
  workers: entry.workers.map(({ workerId, status, heartbeat }) => ({
    workerId,
    status,
    heartbeatAgeMs: heartbeat?.ageMs ?? null,
    balanceUsd: heartbeat?.balanceMills == null ? null : Number(heartbeat.balanceMills) / 1000,
  })),
})
