// What our addresses hold by their chain, beside what the books say. Both are of one block: the newest one
// that was scanned.
import { readBalances, readOwed } from '#custody'
import type { Db, Snapshot } from '#infra/db'
import type { Address, Hex } from '#kernel/chain'
import { readFigures } from '#outbound'
import type { ChainId } from './chain.ts'
import type { ChainNode } from './ports.ts'
import type { Token } from './read-transfers.ts'
import { listWallets } from './store/addresses.ts'
import { findCursor, listTokens } from './store/chains.ts'
import { type HeldRole, listPaidAddresses, listUnbooked } from './store/holdings.ts'

export interface ReconcileDeps {
  readonly db: Db
  readonly node: ChainNode
  /** Where sweeps go; its balance covers what is owed, and is not compared: others move it too. */
  readonly treasury: Address | null
}

export interface Difference {
  readonly token: string
  readonly role: HeldRole
  /** Base units. */
  readonly onChain: bigint
  readonly inBooks: bigint
}

export interface Shortfall {
  readonly token: string
  readonly onChain: bigint
  /** To owners, in kind. */
  readonly owed: bigint
}

export type ChainReconciled =
  | {
      readonly kind: 'compared'
      readonly block: bigint
      readonly tokens: readonly string[]
      readonly differences: readonly Difference[]
      /** Less on the chain than what is owed in kind (invariant I5). */
      readonly shortfalls: readonly Shortfall[]
    }
  /** Our own transactions are under way, so neither side is at rest. */
  | { readonly kind: 'moving' }
  | { readonly kind: 'unavailable' }

export const HELD_ROLES: readonly HeldRole[] = ['deposit_address', 'hot_wallet', 'gas_station']
/** Balances of one call to the node. */
const QUERIES_AT_ONCE = 500

export async function reconcileChain({
  db,
  node,
  treasury,
}: ReconcileDeps): Promise<ChainReconciled> {
  const { chain } = node
  const books = await db.snapshot((at) => readBooks(at, chain))
  if (books === null) return { kind: 'unavailable' }
  if (books.isMoving) return { kind: 'moving' }
  const holders = new Map<HeldRole | 'treasury', readonly Address[]>([
    ['deposit_address', books.addresses],
    ['hot_wallet', books.walletsOf('hot_wallet')],
    ['gas_station', books.walletsOf('gas_station')],
    ['treasury', treasury === null ? [] : [treasury]],
  ])
  const differences: Difference[] = []
  const shortfalls: Shortfall[] = []
  for (const token of books.tokens) {
    const held = await sumBalances(node, { token, holders, at: books.cursor.hash })
    if (held === null) return { kind: 'unavailable' }
    for (const role of HELD_ROLES) {
      const onChain = held.get(role) ?? 0n
      const inBooks = books.inBooks(role, token.symbol)
      if (onChain !== inBooks) differences.push({ token: token.symbol, role, onChain, inBooks })
    }
    const onChain = [...held.values()].reduce((sum, units) => sum + units, 0n)
    const owed = books.owed(token.symbol)
    if (onChain < owed) shortfalls.push({ token: token.symbol, onChain, owed })
  }
  const tokens = books.tokens.map(({ symbol }) => symbol)
  return { kind: 'compared', block: books.cursor.number, tokens, differences, shortfalls }
}

async function readBooks(at: Snapshot, chain: ChainId) {
  const cursor = await findCursor(at, chain)
  if (cursor === null) return null
  const tokens = (await listTokens(at, chain)).filter(({ isAccepted }) => isAccepted)
  const balances = (await readBalances(at, null)).filter((balance) => balance.chain === chain)
  const owed = (await readOwed(at)).filter((balance) => balance.chain === chain)
  // Seen, and not posted before it is final.
  const unbooked = await listUnbooked(at, chain)
  const wallets = await listWallets(at)
  return {
    cursor,
    tokens,
    walletsOf: (role: 'hot_wallet' | 'gas_station'): Address[] =>
      wallets.filter(({ purpose }) => purpose === role).map(({ lookup }) => lookup),
    addresses: await listPaidAddresses(at, chain),
    isMoving: (await readFigures(at)).some(
      (figure) => figure.chain === chain && figure.state !== 'queued',
    ),
    inBooks: (role: HeldRole, token: string): bigint => {
      const parts = [...balances, ...unbooked].filter(
        (one) => one.role === role && one.token === token,
      )
      return parts.reduce((sum, { units }) => sum + units, 0n)
    },
    owed: (token: string): bigint =>
      owed.reduce((sum, one) => (one.token === token ? sum + one.units : sum), 0n),
  }
}

async function sumBalances(
  node: ChainNode,
  {
    token,
    holders,
    at,
  }: {
    readonly token: Token
    readonly holders: ReadonlyMap<HeldRole | 'treasury', readonly Address[]>
    readonly at: Hex
  },
): Promise<Map<HeldRole | 'treasury', bigint> | null> {
  const contract = token.symbol === 'NATIVE' ? null : token.contract
  const sums = new Map<HeldRole | 'treasury', bigint>()
  for (const [role, addresses] of holders) {
    let sum = 0n
    for (let i = 0; i < addresses.length; i += QUERIES_AT_ONCE) {
      const queries = addresses
        .slice(i, i + QUERIES_AT_ONCE)
        .map((holder) => ({ holder, contract }))
      const balances = await node.balances(queries, at)
      if (balances === null) return null
      for (const units of balances) sum += units
    }
    sums.set(role, sum)
  }
  return sums
}
