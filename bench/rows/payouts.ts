// Withdrawals from the request to the broadcast: submitted 16 at once, approved by a callback of another
// process that answers at once, signed and sent from one wallet; beside a loop that signs and sends with
// viem.

import { ORIGINAL } from '../installation/installation.ts'
import { startHelper } from '../ipc.ts'
import { compare, type Side } from '../rounds.ts'
import type { PayoutMethods } from '../servers/payouts.ts'
import type { ReceiverMethods } from '../servers/receiver.ts'
import { type RunRow, rateLine } from './row.ts'

/** A node keeps so many unmined transactions of one sender. */
const WITHDRAWALS = 48
const AIM = 0.5

const NAME = 'bench_payouts'

export const runPayouts: RunRow = async ({ installation, rounds, say }) => {
  const url = await installation.clone(ORIGINAL, NAME)
  const receiver = startHelper<ReceiverMethods>(`${import.meta.dirname}/../servers/receiver.ts`)
  const helper = startHelper<PayoutMethods>(
    `${import.meta.dirname}/../servers/payouts.ts`,
    installation,
  )
  try {
    const callbackUrl = `http://127.0.0.1:${await receiver.call('listen')}/approve`
    await helper.call('open', url, callbackUrl)
    const side = (name: 'ours' | 'peer'): Side => ({
      pid: helper.pid,
      run: async () => {
        const seconds = await helper.call(name, WITHDRAWALS)
        const perSecond = WITHDRAWALS / seconds
        return { count: WITHDRAWALS, perSecond, p50Ms: Number.NaN, p99Ms: Number.NaN }
      },
    })
    const compared = await compare({ ours: side('ours'), peer: side('peer') }, { rounds, say })
    return [rateLine('withdrawals, submit to broadcast', compared, { ratio: AIM })]
  } finally {
    // Where a helper has ended, its reason is reported, and not that it cannot be closed.
    await Promise.allSettled([helper.call('close')])
    await Promise.all([helper.stop(), receiver.stop()])
    await installation.drop(NAME)
  }
}
