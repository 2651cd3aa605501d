// What our addresses hold by their chain, beside what the books say. Both are of one block: the newest one
// that was scanned. Our own transactions are in the books when they are final; those that the block has and
// the books have not are added by their receipts, so that traffic holds up no comparison.
import { readBalances, readOwed } from '#custody'
import type { Db, Queryable, Snapshot } from '#infra/database/db'
import type { Address, Hex } from '#kernel/chain'
import { type BroadcastNode, type Effect, isUnderWay, listUnsettled, readEffects } from '#outbound'
import type { ChainId } from './chain.ts'
import type { ChainNode } from './ports.ts'
import type { Token, WalletPurpose } from './read-transfers.ts'
import { listWallets } from './store/addresses.ts'
import { findCursor, listTokens } from './store/chains.ts'
import { type HeldRole, type Holding, listPaidAddresses, listUnbooked } from './store/holdings.ts'

export interface ReconcileDeps {
  readonly db: Db
  readonly node: ChainNode
  readonly broadcast: Pick<BroadcastNode, 'receipt'>
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
      /** By the node, differing from the books or not. */
      readonly held: readonly Pick<Holding, 'role' | 'token' | 'units'>[]
      readonly differences: readonly Difference[]
      /** Less on the chain than what is owed in kind (invariant I5). */
      readonly shortfalls: readonly Shortfall[]
    }
  /** More transactions of ours are under way than one comparison can ask for. */
  | { readonly kind: 'moving' }
  | { readonly kind: 'unavailable' }
  /** The chain was never scanned: the service has just been set up. */
  | { readonly kind: 'not_scanned' }
  /** The newest scanned block is not the node's (invariant I6): a re-organisation is not scanned yet. */
  | { readonly kind: 'replaced' }

export const HELD_ROLES: readonly HeldRole[] = ['deposit_address', 'hot_wallet', 'gas_station']
/** Transactions of ours whose receipts one comparison reads. */
const MOST_UNSETTLED = 500
/** Balances of one call to the node. */
const QUERIES_AT_ONCE = 500

export async function reconcileChain({
  db,
  node,
  broadcast,
  treasury,
}: ReconcileDeps): Promise<ChainReconciled> {
  const { chain } = node
  const books = await db.snapshot((at) => readBooks(at, chain))
  if (books === null) return { kind: 'not_scanned' }
  const { unsettled, cursor } = books
  const header = await node.header(cursor.number)
  if (header === null) return { kind: 'unavailable' }
  if (header.hash !== cursor.hash) return { kind: 'replaced' }
  if (unsettled.length > MOST_UNSETTLED) return { kind: 'moving' }
  const effects = await readEffects(broadcast, unsettled, cursor.number)
  const holders = new Map<HeldRole | 'treasury', readonly Address[]>([
    ['deposit_address', books.addresses],
    ['hot_wallet', books.walletsOf('hot_wallet')],
    ['gas_station', books.walletsOf('gas_station')],
    ['treasury', treasury === null ? [] : [treasury]],
  ])
  const differences: Difference[] = []
  const shortfalls: Shortfall[] = []
  const all: Pick<Holding, 'role' | 'token' | 'units'>[] = []
  for (const token of books.tokens) {
    const held = await sumBalances(node, { token, holders, at: cursor.hash })
    if (held === null) return { kind: 'unavailable' }
    for (const role of HELD_ROLES) {
      const onChain = held.get(role) ?? 0n
      const inBooks =
        books.inBooks(role, token.symbol) +
        sumEffects(effects, { role, token: token.symbol, books })
      all.push({ role, token: token.symbol, units: onChain })
      if (onChain !== inBooks) differences.push({ token: token.symbol, role, onChain, inBooks })
    }
    const onChain = [...held.values()].reduce((sum, units) => sum + units, 0n)
    const owed = books.owed(token.symbol)
    if (onChain < owed) shortfalls.push({ token: token.symbol, onChain, owed })
  }
  const tokens = books.tokens.map(({ symbol }) => symbol)
  const { number: block } = cursor
  return { kind: 'compared', block, tokens, held: all, differences, shortfalls }
}

type Books = NonNullable<Awaited<ReturnType<typeof readBooks>>>

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
    unsettled: await listUnsettled(at, chain, { above: cursor.number, limit: MOST_UNSETTLED + 1 }),
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

/**
 * False: something of ours is under way to or from the wallets of a role, transactions that have a nonce or
 * refills that are not final.
 */
export async function isAtRest(
  db: Queryable,
  chain: ChainId,
  role: WalletPurpose,
): Promise<boolean> {
  const wallets = (await listWallets(db)).filter(({ purpose }) => purpose === role)
  const addresses = wallets.map(({ lookup }) => lookup)
  const keyRef = role === 'hot_wallet' ? 'hot' : 'gas'
  if (await isUnderWay(db, { chain, keyRef }, addresses)) return false
  return (await listUnbooked(db, chain)).every((one) => one.role !== role || one.units === 0n)
}

/** What the transactions brought to the addresses of a role, less what left them. */
function sumEffects(
  effects: readonly Effect[],
  { role, token, books }: { role: HeldRole; token: string; books: Pick<Books, 'walletsOf'> },
): bigint {
  let sum = 0n
  for (const effect of effects) {
    if (effect.role === role && token === 'NATIVE') sum -= effect.fee
    if (effect.token !== token) continue
    if (effect.role === role) sum -= effect.units
    if (recipientRole(effect, books) === role) sum += effect.units
  }
  return sum
}

/** Null: it is not ours, or the treasury. */
function recipientRole(
  { purpose, recipient }: Effect,
  { walletsOf }: Pick<Books, 'walletsOf'>,
): HeldRole | null {
  if (purpose === 'gas') return 'deposit_address'
  const isHot = walletsOf('hot_wallet').includes(recipient.toLowerCase() as Address)
  return purpose === 'sweep' && isHot ? 'hot_wallet' : null
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
