// Deposits into payout custody, as the scanner of a chain reports them. The transfer, its posting in kind
// and these rows are one commit; each function may be called again for the same transfer.
import type { CustodyAccount } from '#custody'
import type { Tx } from '#infra/database/db'
import {
  completeDeposit,
  failDeposit,
  insertDeposit,
  setConfirmations,
  takeHolder,
} from './store/deposits.ts'
import { addEvents, readMerchantOf } from './store/steps.ts'

export interface SeenTransfer {
  readonly transferId: string
  /** The owner of the address: the merchant, or one of its sub-users. */
  readonly ownerId: string
  readonly chain: string
  readonly token: string
  readonly units: bigint
  readonly decimals: number
  readonly address: string
  readonly txHash: string
  readonly at: Date
}

/**
 * What chains calls for transfers to addresses of payout custody. Credited in kind, whatever it is worth.
 */
export const custodyHandler = {
  isValued: false,

  /** The merchant's custody. For a merchant that was deleted it is put aside. */
  holderOf: async (
    tx: Tx,
    { transferId }: { readonly transferId: string },
  ): Promise<CustodyAccount> => {
    const { merchantId, isUnclaimed } = await takeHolder(tx, transferId)
    return { role: isUnclaimed ? 'unclaimed' : 'merchant', ownerId: merchantId }
  },

  record: async (tx: Tx, transfer: SeenTransfer): Promise<void> => {
    const merchantId = await readMerchantOf(tx, transfer.ownerId)
    await insertDeposit(tx, {
      id: transfer.transferId,
      merchantId,
      userId: merchantId === transfer.ownerId ? null : transfer.ownerId,
      chain: transfer.chain,
      token: transfer.token,
      units: transfer.units,
      decimals: transfer.decimals,
      address: transfer.address,
      txHash: transfer.txHash,
      at: transfer.at,
    })
  },

  noteConfirmations: async (
    tx: Tx,
    seen: readonly { readonly transferId: string; readonly confirmations: bigint }[],
  ): Promise<void> => {
    for (const { transferId, confirmations } of seen) {
      await setConfirmations(tx, transferId, confirmations)
    }
  },

  blockReplaced: (tx: Tx, transferId: string): Promise<void> =>
    setConfirmations(tx, transferId, 0n),

  credit: async (
    tx: Tx,
    { transferId, confirmations, at }: { transferId: string; confirmations: bigint; at: Date },
  ): Promise<{ depositId: string; accountId: string } | null> => {
    const deposit = await completeDeposit(tx, transferId, { confirmations, at })
    if (deposit === null) return null
    const { merchantId, userId, id, isUnclaimed } = deposit
    if (isUnclaimed) return { depositId: id, accountId: merchantId }
    await addEvents(tx, {
      type: 'payout.crypto.deposit.completed',
      subjectType: 'custody_deposit',
      subjects: [{ merchantId, accountId: userId ?? merchantId, subjectId: id }],
      at,
    })
    return null
  },

  fail: (tx: Tx, transferId: string, reason: string, at: Date): Promise<void> =>
    failDeposit(tx, transferId, { reason, from: ['pending'], at }),

  reverse: (tx: Tx, transferId: string, at: Date): Promise<void> =>
    failDeposit(tx, transferId, { reason: 'chain_reorg', from: ['completed'], at }),
} as const
