// What signing, sending and tracking on one chain need.

import type { Db } from '#infra/database/db'
import type { Clock } from '#infra/process/clock'
import type { ChainName, Hex } from '#kernel/chain'
import type { Listeners } from './listener.ts'
import type { BroadcastNode, Signer } from './ports.ts'
import type { Transaction } from './store/transactions.ts'

export interface OutboundDeps {
  readonly db: Db
  readonly clock: Clock
  readonly chain: ChainName
  readonly node: BroadcastNode
  readonly listeners: Listeners
  /** For the log and the alerts. */
  onAlarm(alarm: OutboundAlarm, details: Readonly<Record<string, unknown>>): void
}

export interface SendingDeps extends OutboundDeps {
  readonly signer: Signer
  /** Whether anything may be signed or sent now: not while a restore has not been compared. */
  mayPay(): Promise<boolean>
  /**
   * Before bytes leave for the first time: notes them outside the database, for the case that it loses them.
   * False: they must not leave.
   */
  noteSend?(transaction: Transaction, hash: Hex): Promise<boolean>
  /** How long a transaction that cannot be signed now waits before it is tried again. */
  readonly holdMs: number
  /** Wei for a unit of gas that no transaction offers more than. */
  readonly mostFeePerGas: bigint
}

export type OutboundAlarm =
  | 'outbound_wallet_halted'
  | 'outbound_wallet_frozen'
  | 'outbound_signer_refused'
  | 'outbound_signer_unavailable'
  | 'outbound_no_effect'
  | 'outbound_end_contradicted'
  | 'outbound_final_differs'
  | 'outbound_final_displaced'
