// The installation that the model is compared with: api and worker processes, PostgreSQL and the sandbox,
// with the accounts of one history.
import assert from 'node:assert/strict'
import type { SellInventoryResponse, Trade } from '@tradepost/contract'
import type { MarketId } from '../../support/sandbox.ts'
import {
  balanceOf,
  centsOf,
  type ListingSupply,
  linkSeller,
  tradeUrl,
} from '../../support/trading.ts'
import { until } from '../../support/until.ts'
import { endMarketFaults } from '../faults/markets.ts'
import type { Installation } from '../worlds/installation.ts'
import { agree, type Model, type ModelAccount, type View } from './model.ts'

export interface Environment {
  readonly installation: Installation
  readonly supplies: Readonly<Record<MarketId, ListingSupply>>
  /** In front of every external id, so that histories do not meet. */
  readonly prefix: string
  /** What each account could sell; its platform account is its own. */
  readonly sellable: ReadonlyMap<string, SellInventoryResponse['items']>
  partnerOf(account: string): number
}

const STARTING = '400.00'
const ACCOUNTS = [
  ['ann', 'USD'],
  ['ben', 'USD'],
  ['eva', 'EUR'],
] as const

let histories = 0

/** New accounts with money, each linked to a person of the platform. */
export async function newHistory(
  installation: Installation,
  supplies: Environment['supplies'],
): Promise<{ environment: Environment; accounts: ModelAccount[] }> {
  const { merchant } = installation
  const history = ++histories
  const prefix = `h${history}-`
  const partners = new Map(
    ACCOUNTS.map(([name], i) => [prefix + name, 61_000_000 + history * 100 + i]),
  )
  const partnerOf = (account: string): number => partners.get(account) ?? 0
  const sellable = new Map<string, SellInventoryResponse['items']>()
  const accounts: ModelAccount[] = []
  for (const [short, currency] of ACCOUNTS) {
    const name = prefix + short
    await merchant.get('createSubUser', { body: { externalId: name, currency } })
    await merchant.get('fundSubUser', {
      params: { id: name },
      body: { amount: STARTING },
      idempotencyKey: `start-${name}`,
    })
    const url = tradeUrl('accept00', partnerOf(name))
    sellable.set(name, await linkSeller(merchant, name, url))
    const fundedCents = centsOf(await balanceOf(merchant, name))
    if (currency === 'USD') assert.equal(fundedCents, 400_00)
    accounts.push({ name, currency, fundedCents })
  }
  return { environment: { installation, supplies, prefix, sellable, partnerOf }, accounts }
}

/** Each listing is wanted once: the dearest of the cheapest thousand first, where a fee is some cents. */
export async function openSupplies({ sandbox }: Installation): Promise<Environment['supplies']> {
  const open = async (market: MarketId): Promise<ListingSupply> => {
    const listings = await sandbox.control.listings(market, 1000)
    return {
      take: () => {
        const listing = listings.pop()
        assert.ok(listing, `${market} has something left to buy`)
        return listing
      },
    }
  }
  return { market_a: await open('market_a'), market_b: await open('market_b') }
}

/** Reads until two readings around the balances are the same: one moment at which nothing moved. */
async function look({ installation }: Environment, model: Model): Promise<View> {
  const { merchant } = installation
  const names = [...model.accounts.keys()]
  return until('a moment at which nothing moves', async () => {
    const before = await readTrades(names, installation)
    const balances = await Promise.all(
      names.map(async (name) => [name, centsOf(await balanceOf(merchant, name))] as const),
    )
    const trades = await readTrades(names, installation)
    if (JSON.stringify(before) !== JSON.stringify(trades)) return null
    return { trades, balancesCents: new Map(balances) }
  })
}

async function readTrades(
  names: readonly string[],
  { merchant }: Installation,
): Promise<readonly Trade[]> {
  const pages = await Promise.all(
    names.map((name) => merchant.get('listTransactions', { behalf: name, query: { limit: 100 } })),
  )
  for (const { nextCursor } of pages) assert.equal(nextCursor, null, 'one page is enough')
  return pages.flatMap(({ transactions }) => transactions)
}

export async function compare(model: Model, environment: Environment): Promise<void> {
  agree(model, await look(environment, model))
}

/** Everything is well again. */
export async function endFaults({ installation }: Environment): Promise<void> {
  await endMarketFaults(installation.sandbox.control)
  await Promise.all([installation.apis.revive(), installation.workers.revive()])
}
