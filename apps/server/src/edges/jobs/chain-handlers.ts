// What the transfers of the chains become: deposits of users, or of the payout custody of merchants. It is
// called in the transaction of the scanner.
import type { TransferHandler, TransferHandlers } from '#chains'
import {
  creditTransfer,
  failTransfer,
  recordTransfer,
  reverseTransfer,
  setConfirmations,
} from '#deposits'
import { assertDefined, Bug } from '#kernel/assert'
import { custodyHandler } from '#payouts'

const DEPOSITS: TransferHandler = {
  isValued: true,
  holderOf: () => Promise.reject(new Bug('a user’s deposit has no holder in kind')),
  record: async (tx, transfer) => {
    await recordTransfer(tx, transfer)
  },
  noteConfirmations: (tx, seen) => setConfirmations(tx, seen.map(asNumbers)),
  blockReplaced: (tx, transferId) => setConfirmations(tx, [{ transferId, confirmations: 0 }]),
  credit: async (tx, { transferId, ownerId, value, usdE8, rateSources, confirmations, at }) => {
    const { depositId, isUnclaimed } = await creditTransfer(tx, {
      transferId,
      creditedCents: assertDefined(value, 'value of a deposit'),
      usdE8: assertDefined(usdE8, 'rate of a deposit'),
      rateSources,
      confirmations: Number(confirmations),
      at,
    })
    return isUnclaimed ? { depositId, accountId: ownerId } : null
  },
  fail: (tx, transferId, reason, at) => failTransfer(tx, { transferId, reason, at }),
  reverse: async (tx, transferId, at) => {
    await reverseTransfer(tx, { transferId, at })
  },
}

const asNumbers = ({
  transferId,
  confirmations,
}: {
  readonly transferId: string
  readonly confirmations: bigint
}) => ({ transferId, confirmations: Number(confirmations) })

/** Each purpose of our addresses. */
export const HANDLERS: TransferHandlers = { deposit: DEPOSITS, payout_custody: custodyHandler }
