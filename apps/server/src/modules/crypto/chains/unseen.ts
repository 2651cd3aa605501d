// Native coin that a contract sent to an address of ours, on a chain whose node offers no traces. Only the
// balance of the address shows it: what it holds more than its transfers and our own payments explain. By
// which transaction it came is not known, so an operator names one, and then it is a transfer like others.

import type { Db, Tx } from '#infra/database/db'
import type { Clock } from '#infra/process/clock'
import type { Address, Hex } from '#kernel/chain'
import { readNativeEffects } from '#outbound'
import { type ChainId, NATIVE_ADDRESS } from './chain.ts'
import type { ChainNode, Receipt } from './ports.ts'
import { BY_BALANCE, type OurAddress, type Token } from './read-transfers.ts'
import { recordMovements } from './record.ts'
import { findAddressesAmong } from './store/addresses.ts'
import {
  findBlockHash,
  findCursor,
  findHalt,
  hasUntraced,
  listTokens,
  lockCursor,
} from './store/chains.ts'
import { dropNamedPayment, listNamedPayments, listNativeHoldings } from './store/holdings.ts'
import { hasTransferAt } from './store/transfers.ts'
import type { TransferHandlers } from './transfer-handler.ts'

export interface UnseenDeps {
  readonly db: Db
  readonly clock: Clock
  readonly node: ChainNode
  readonly handlers: TransferHandlers
  /** Lower case: the treasury, and our wallets. What they send is never a deposit. */
  readonly ownSenders: () => Promise<ReadonlySet<string>>
}

export interface Unseen {
  readonly address: Address
  readonly ownerId: string
  /** Base units that no transfer explains, after this block. */
  readonly units: bigint
  readonly block: bigint
}

export type UnseenRound =
  /** Every block was scanned with its traces, or the chain is halted: there is nothing to look for. */
  | { readonly kind: 'not_needed' }
  /** The node does not keep the state of the newest scanned block. */
  | { readonly kind: 'unavailable' }
  | {
      readonly kind: 'compared'
      readonly found: readonly Unseen[]
      /** Named payments that became transfers. */
      readonly recorded: readonly { readonly address: Address; readonly txHash: Hex }[]
      /** Named payments that were dropped: what was found stays. */
      readonly refused: readonly {
        readonly address: Address
        readonly txHash: Hex
        readonly why: string
      }[]
    }

/** Addresses of one call to the node. */
const ADDRESSES_AT_ONCE = 500

/** Compares every address that was handed out. */
export async function findUnseen(deps: UnseenDeps, signal: AbortSignal): Promise<UnseenRound> {
  const { db, node } = deps
  const { chain } = node
  if (!(await hasUntraced(db, chain)) || (await findHalt(db, chain)) !== null) {
    return { kind: 'not_needed' }
  }
  const named = await listNamedPayments(db, chain)
  const found: Unseen[] = []
  const recorded: { address: Address; txHash: Hex }[] = []
  const refused: { address: Address; txHash: Hex; why: string }[] = []
  let after = -1
  for (;;) {
    const page = await comparePage(deps, after)
    if (page === null) return { kind: 'unavailable' }
    for (const { owner, units, block } of page.compared) {
      const { address, ownerId } = owner
      const txHash = named.get(owner.id)
      if (units <= 0n && txHash === undefined) continue
      const why = txHash === undefined ? null : await recordNamed(deps, { owner, units, txHash })
      if (txHash !== undefined && why === null) {
        recorded.push({ address, txHash })
        continue
      }
      if (txHash !== undefined && why !== null) refused.push({ address, txHash, why })
      if (units > 0n) found.push({ address, ownerId, units, block })
    }
    if (page.last === null || signal.aborted) return { kind: 'compared', found, recorded, refused }
    after = page.last
  }
}

interface Page {
  readonly compared: readonly {
    readonly owner: OurAddress
    /** What no transfer explains; below zero when some went out that is not ours. */
    readonly units: bigint
    readonly block: bigint
  }[]
  /** The highest index of the page; null: there are no more. */
  readonly last: number | null
}

/** As of the newest scanned block. Addresses with a transaction of ours under way are left out. */
async function comparePage({ db, node }: UnseenDeps, after: number): Promise<Page | null> {
  const { chain } = node
  const books = await db.snapshot(async (at) => {
    const cursor = await findCursor(at, chain)
    if (cursor === null) return null
    const page = { upTo: cursor.number, after, limit: ADDRESSES_AT_ONCE }
    const holdings = await listNativeHoldings(at, chain, page)
    const range = { first: after + 1, last: holdings.at(-1)?.hdIndex ?? after }
    const effects = await readNativeEffects(at, chain, { upTo: cursor.number, ...range })
    return { cursor, holdings, effects: new Map(effects.map((one) => [one.index, one])) }
  })
  if (books === null) return null
  const { cursor, holdings, effects } = books
  const queries = holdings.map(({ address }) => ({ holder: address.lookup, contract: null }))
  const balances = await node.balances(queries, cursor.hash)
  if (balances === null) return null
  const compared = holdings.flatMap(({ address: owner, hdIndex, units: received }, i) => {
    const own = effects.get(hdIndex)
    const units = (balances[i] ?? 0n) - received - (own?.units ?? 0n)
    return own?.isMoving ? [] : [{ owner, units, block: cursor.number }]
  })
  const isLast = holdings.length < ADDRESSES_AT_ONCE
  return { compared, last: isLast ? null : (holdings.at(-1)?.hdIndex ?? null) }
}

interface Named {
  readonly owner: OurAddress
  readonly units: bigint
  readonly txHash: Hex
}

/** Null: it is a transfer now. Otherwise why not; then the name is dropped. */
async function recordNamed(deps: UnseenDeps, named: Named): Promise<string | null> {
  const { db, node } = deps
  const { chain } = node
  const receipt = await node.receipt(named.txHash)
  const header = receipt === null ? null : await node.header(receipt.blockNumber)
  const token = (await listTokens(db, chain)).find(({ contract }) => contract === NATIVE_ADDRESS)
  return db.transaction(async (tx) => {
    await dropNamedPayment(tx, chain, { addressId: named.owner.id, txHash: named.txHash })
    // A name that waited would be taken for the next payment.
    if (named.units <= 0n) return 'the address holds nothing that is not explained'
    if (receipt === null) return 'the node does not know the transaction'
    if (!receipt.succeeded) return 'the transaction reverted'
    if (await isOurs(deps, receipt)) return 'one of our own addresses sent or received it'
    if (token === undefined) return 'the chain has no native coin in the table of tokens'
    if (header?.hash !== receipt.blockHash || !(await isScanned(tx, chain, receipt))) {
      return 'its block is not one that was scanned'
    }
    if (await hasTransferAt(tx, chain, { txHash: named.txHash, ordinal: ordinalOf(named.owner) })) {
      return 'the transaction explains another amount already'
    }
    await recordTransfer(deps, tx, { ...named, receipt, token })
    return null
  })
}

/**
 * What a wallet of ours sends is no deposit, also as a contract that others call (a treasury of several
 * signers); and a transaction that was sent to an address of ours executes nothing that could pay another.
 */
async function isOurs({ db, ownSenders }: UnseenDeps, { from, to }: Receipt): Promise<boolean> {
  const parties = to === null ? [from] : [from, to]
  const own = await ownSenders()
  if (parties.some((party) => own.has(party))) return true
  return (await findAddressesAmong(db, parties)).length > 0
}

/** One transaction may pay several addresses: each has its own place in it. */
const ordinalOf = ({ lookup }: OurAddress): string => `${BY_BALANCE}:${lookup}`

async function isScanned(tx: Tx, chain: ChainId, { blockNumber, blockHash }: Receipt) {
  const cursor = await lockCursor(tx, chain)
  if (cursor === null || cursor.number < blockNumber) return false
  const known = await findBlockHash(tx, chain, blockNumber)
  return known === null || known === blockHash
}

async function recordTransfer(
  { clock, node, handlers }: UnseenDeps,
  tx: Tx,
  {
    owner,
    units,
    txHash,
    receipt,
    token,
  }: Named & { readonly receipt: Receipt; readonly token: Token },
): Promise<void> {
  const { blockNumber: number, blockHash: hash, from, to } = receipt
  const at = clock.now()
  const movement = {
    ...({ kind: 'internal', contract: NATIVE_ADDRESS, txHash } as const),
    ordinal: ordinalOf(owner),
    ...{ from: to ?? from, to: owner.lookup, units, address: owner, token },
  }
  await recordMovements(tx, handlers, { chain: node.chain, number, hash, at }, [movement])
}
