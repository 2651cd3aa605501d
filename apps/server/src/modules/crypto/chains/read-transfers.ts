// What a block moves, and which of it is ours. Everything here is pure.
import type { Address, Hex } from '#kernel/chain'
import { NATIVE_ADDRESS } from './chain.ts'
import type { Block, InternalTransfer, NativeSend, TransferLog } from './ports.ts'

export type TransferKind = 'erc20' | 'native' | 'internal'

/** Begins the ordinal of an internal transfer that only the balance of its address has shown. */
export const BY_BALANCE = 'balance'

/** One movement of a block. (tx, kind, ordinal) is its place, which a re-organisation does not change. */
export interface Movement {
  readonly kind: TransferKind
  readonly txHash: Hex
  readonly ordinal: string
  readonly contract: Address
  readonly from: Address
  readonly to: Address
  readonly units: bigint
}

/** keccak-256 of `Transfer(address,address,uint256)`; NFT contracts share it and index the third value. */
export const TRANSFER_TOPIC: Hex =
  '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

/** 32 bytes in hex. */
const WORD_LENGTH = 66
const ZERO_PADDED_ADDRESS = /^0x0{24}[0-9a-f]{40}$/

/** Everything that the block moves, values of zero and NFTs left out. */
export function readMovements(
  block: Block,
  logs: readonly TransferLog[],
  internals: readonly InternalTransfer[],
): Movement[] {
  return [
    ...readTransferLogs(logs),
    ...block.nativeSends.filter(({ units }) => units > 0n).map(nativeMovement),
    ...internals.filter(({ units }) => units > 0n).map(internalMovement),
  ]
}

const nativeMovement = ({ txHash, from, to, units }: NativeSend): Movement => ({
  kind: 'native',
  ordinal: '0',
  contract: NATIVE_ADDRESS,
  ...{ txHash, from, to, units },
})

const internalMovement = ({ txHash, path, from, to, units }: InternalTransfer): Movement => ({
  kind: 'internal',
  ordinal: path,
  contract: NATIVE_ADDRESS,
  ...{ txHash, from, to, units },
})

/**
 * The ordinal of a log is its position among all `Transfer` logs of its transaction: the position in the
 * block changes when other transactions come before it. A node that lists a log twice changes nothing.
 */
export function readTransferLogs(logs: readonly TransferLog[]): Movement[] {
  const byIndex = new Map(logs.map((log) => [log.logIndex, log]))
  const inOrder = [...byIndex.values()].sort((a, b) => a.logIndex - b.logIndex)
  const positions = new Map<Hex, number>()
  const movements: Movement[] = []
  for (const log of inOrder) {
    const position = positions.get(log.txHash) ?? 0
    positions.set(log.txHash, position + 1)
    const movement = readLog(log, position)
    if (movement !== null) movements.push(movement)
  }
  return movements
}

/** Null: not a transfer of a fungible token, or of nothing. */
function readLog(log: TransferLog, position: number): Movement | null {
  const [event, from, to] = log.topics
  if (log.topics.length !== 3 || event !== TRANSFER_TOPIC || log.data.length !== WORD_LENGTH) {
    return null
  }
  if (!isAddressWord(from) || !isAddressWord(to)) return null
  const units = BigInt(log.data)
  if (units === 0n) return null
  return {
    kind: 'erc20',
    txHash: log.txHash,
    ordinal: String(position),
    contract: log.contract,
    from: addressOfWord(from),
    to: addressOfWord(to),
    units,
  }
}

const isAddressWord = (word: Hex | undefined): word is Hex =>
  word !== undefined && ZERO_PADDED_ADDRESS.test(word)

const addressOfWord = (word: Hex): Address => `0x${word.slice(26)}`

export interface OurAddress {
  readonly id: string
  readonly ownerId: string
  readonly purpose: Purpose | WalletPurpose
  /** With the case of its checksum. */
  readonly address: Address
  /** Lower case. */
  readonly lookup: Address
}

export const PURPOSES = ['deposit', 'payout_custody'] as const
/** What an address that was handed out is for. */
export type Purpose = (typeof PURPOSES)[number]
/** Wallets of the service, by the custody account that holds what they have. */
export type WalletPurpose = 'hot_wallet' | 'gas_station'

export const isOwned = (purpose: Purpose | WalletPurpose): purpose is Purpose =>
  PURPOSES.some((known) => known === purpose)

export interface Token {
  readonly contract: Address
  readonly symbol: string
  readonly decimals: number
  /** False: known by name, and not taken. */
  readonly isAccepted: boolean
}

export interface Incoming extends Movement {
  readonly address: OurAddress
  /** Null: a contract that is not known by name. */
  readonly token: Token | null
}

export interface OwnView {
  /** Lower case. */
  readonly addresses: ReadonlyMap<string, OurAddress>
  /** Lower case: what they send to an owner's address is no deposit. */
  readonly ownSenders: ReadonlySet<string>
  /** Lower case. */
  readonly tokens: ReadonlyMap<string, Token>
}

/**
 * What came to our addresses from outside. What we move among our own is never a deposit; what the treasury
 * pays into a wallet of the service is recorded, because nothing of ours sent it.
 */
export const incomingOf = (movements: readonly Movement[], own: OwnView): Incoming[] =>
  arrivingOf(movements, own).filter((one) => !isSentByUs(one, own))

/**
 * Native coin that we paid to addresses of owners ourselves. It is no deposit, and it explains what their
 * balances show.
 */
export const ownPaymentsOf = (movements: readonly Movement[], own: OwnView): Incoming[] =>
  arrivingOf(movements, own).filter(
    (one) =>
      one.contract === NATIVE_ADDRESS && isOwned(one.address.purpose) && isSentByUs(one, own),
  )

const arrivingOf = (movements: readonly Movement[], own: OwnView): Incoming[] =>
  movements.flatMap((movement) => {
    const address = own.addresses.get(movement.to)
    if (address === undefined) return []
    return [{ ...movement, address, token: own.tokens.get(movement.contract) ?? null }]
  })

const isSentByUs = ({ from, address }: Incoming, own: OwnView): boolean =>
  own.addresses.has(from) || (isOwned(address.purpose) && own.ownSenders.has(from))
