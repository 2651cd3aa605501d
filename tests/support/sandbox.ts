// The sandbox as a process of its own, and its control interface.
import { join } from 'node:path'
import { type Child, jsonLine, ROOT, startChild } from './child.ts'
import { createSandboxCall, type SandboxCall } from './sandbox-call.ts'

export const MARKETS = ['market_a', 'market_b'] as const
export type MarketId = (typeof MARKETS)[number]

/** A listing as its market knows it. */
export interface SandboxListing {
  readonly id: string
  readonly marketHashName: string
  readonly phase: string | null
  readonly priceMills: number
}

/** A trade offer: of a market's seller for an order, or of a bot of ours. */
export interface SandboxOffer {
  readonly offerId: string
  readonly state: string
  /** Null: it is of a bot. */
  readonly market: MarketId | null
  /** Of a bot. */
  readonly message?: string
  readonly customId: string | null
  readonly listingId: string
  readonly price: string
  readonly platformId: string
}

/** An order as its market keeps it, from the call on. */
export interface SandboxOrder {
  readonly market: MarketId
  /** The key that bought. */
  readonly account: string
  readonly customId: string | null
  readonly stage: string
  readonly offerId: string | null
  /** Whether an answer of its market has named the offer. */
  readonly isOfferShown: boolean
  readonly price: string
  readonly refund: string
}

export interface Control {
  script(market: MarketId, ...next: string[]): Promise<void>
  /** How many scripted words wait for a purchase. */
  scriptLength(market: MarketId): Promise<number>
  clearScript(market: MarketId): Promise<void>
  setMarket(
    market: MarketId,
    change: {
      online?: boolean
      latencyMs?: number
      /** A key: of its account alone. */
      account?: string
      balance?: string
      currency?: string
      forbidden?: boolean
    },
  ): Promise<void>
  setPlatform(change: { online?: boolean; latencyMs?: number }): Promise<void>
  /** The cheapest ones. */
  listings(market: MarketId, limit: number): Promise<SandboxListing[]>
  setPrice(market: MarketId, id: string, price: string): Promise<void>
  remove(market: MarketId, id: string): Promise<void>
  /** The newest thousand, of one market or of all. */
  orders(market?: MarketId): Promise<SandboxOrder[]>
  /** The newest thousand, in one state or in any. */
  offers(state?: string): Promise<SandboxOffer[]>
  offer(offerId: string): Promise<SandboxOffer>
  moveOffer(offerId: string, verb: 'accept' | 'decline' | 'expire'): Promise<void>
  revertOffer(offerId: string, by: 'user' | 'supplier'): Promise<void>
  state(): Promise<SandboxState>
  /** Any other command, by its path below `/control`. */
  readonly call: SandboxCall
}

export interface SandboxState {
  readonly markets: Readonly<
    Record<
      MarketId,
      {
        readonly listings: number
        readonly script: string[]
        readonly orders: Record<string, number>
        /** Our own with its balance, in dollars. */
        readonly accounts: readonly { readonly balance: string }[]
      }
    >
  >
}

export function controlOf(sandboxUrl: string): Control {
  const call = createSandboxCall(sandboxUrl)
  const state = (): Promise<SandboxState> => call('GET', '/state')
  const listAll = async <Item>(path: string): Promise<Item[]> => {
    const { items } = await call<{ items: Item[] }>('GET', path)
    if (items.length === MOST_LISTED) throw new Error(`the sandbox has more than ${path} lists`)
    return items
  }
  return {
    script: async (market, ...next) => {
      await call('POST', `/markets/${market}/script`, { next })
    },
    scriptLength: async (market) => (await state()).markets[market].script.length,
    clearScript: async (market) => {
      await call('DELETE', `/markets/${market}/script`)
    },
    setMarket: async (market, change) => {
      await call('PUT', `/markets/${market}`, change)
    },
    setPlatform: async (change) => {
      await call('PUT', '/platform', change)
    },
    listings: async (market, limit) =>
      (await call<{ items: SandboxListing[] }>('GET', `/markets/${market}/listings?limit=${limit}`))
        .items,
    setPrice: async (market, id, price) => {
      await call('PUT', `/markets/${market}/listings/${id}`, { price })
    },
    remove: async (market, id) => {
      await call('DELETE', `/markets/${market}/listings/${id}`)
    },
    orders: (market) => listAll<SandboxOrder>(pathOf('/orders', { market })),
    offers: (state) => listAll<SandboxOffer>(pathOf('/offers', { state })),
    offer: (offerId) => call('GET', `/offers/${offerId}`),
    moveOffer: async (offerId, verb) => {
      await call('POST', `/offers/${offerId}/${verb}`)
    },
    revertOffer: async (offerId, by) => {
      await call('POST', `/offers/${offerId}/revert`, { by })
    },
    state,
    call,
  }
}

const pathOf = (path: string, query: Readonly<Record<string, string | undefined>>): string => {
  const given = Object.entries(query).filter(([, value]) => value !== undefined)
  return `${path}?${new URLSearchParams([...(given as [string, string][]), ['limit', String(MOST_LISTED)]])}`
}

/** As many as the sandbox lists at once. */
const MOST_LISTED = 20_000

/** The settings of every sandbox in these tests: a small dataset, a short hold, no limits on calls. */
export const SMALL_DATASET = {
  SANDBOX_LISTINGS: '3000',
  SANDBOX_ITEMS: '4000',
  SANDBOX_CHANGES_PER_SECOND: '0',
  SANDBOX_MARKET_A_CALLS_PER_SECOND: '0',
  SANDBOX_MARKET_B_CALLS_PER_MINUTE: '0',
  HOLD_SECONDS: '2',
  SANDBOX_CHAINS: 'off',
} as const

export interface Sandbox {
  readonly url: string
  readonly port: number
  readonly child: Child
  readonly control: Control
}

export async function startSandbox(env: Readonly<Record<string, string>> = {}): Promise<Sandbox> {
  const child = startChild(join(ROOT, 'apps/sandbox/src/main.ts'), [], {
    ...SMALL_DATASET,
    SANDBOX_PORT: '0',
    ...env,
  })
  const url = await child.line((line) => {
    const said = jsonLine(line)
    return said?.event === 'ready' && typeof said.url === 'string' ? said.url : null
  })
  return { url, port: Number(new URL(url).port), child, control: controlOf(url) }
}
