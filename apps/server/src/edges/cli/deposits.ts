// Payments that were held back, on the command line.
import { type HeldPayment, listHeldPayments } from '#deposits'
import { formatDecimal } from '#kernel/decimal'
import { decideHeldPayment, explainStatement } from '#operations'
import type { Context } from './context.ts'
import { AS_JSON, argument, command, REASON, uuid, wrong } from './declare.ts'
import { json, table } from './table.ts'

const MAX_LISTED = 1_000

const ID = argument('<id>', '`deposits list` shows them', uuid)

function movementOf(text: string) {
  const [, provider, ref = ''] = /^(gateway|onramp):(.+)$/.exec(text) ?? []
  if (provider === 'gateway' || provider === 'onramp') return { provider, ref } as const
  return wrong('It is a movement, such as gateway:48000000000001024/0x….')
}

export const depositCommands = [
  command('deposits [list]', 'payments that were held back and wait for an operator', AS_JSON).does(
    async ({ db }, options) => {
      const held = await listHeldPayments(db, MAX_LISTED)
      if (options.json) return json(held)
      if (held.length === 0) return 'No payment waits for an operator.'
      const columns = ['id', 'deposit', 'provider', 'payment', 'amount', 'usd', 'heldAt', 'problem']
      return table(held.map(rowOf), columns)
    },
  ),
  command('deposits release', 'credit a held payment at the value that is shown', ID, REASON).does(
    async (context, id, { reason }) =>
      `The next look at deposit ${await decide(context, id, 'released', reason)} credits it.`,
  ),
  command('deposits refuse', 'never credit a held payment', ID, REASON).does(
    async (context, id, { reason }) =>
      `It is never credited to deposit ${await decide(context, id, 'refused', reason)}. Its money stays with the provider.`,
  ),
  command(
    'deposits explain',
    "record why a provider's statement and the books disagree",
    argument('<provider:ref>', 'the movement', movementOf),
    REASON,
  ).does(async (context, movement, { reason }) => {
    await explainStatement(context, context.actor, { ...movement, reason })
    return 'It is explained, and no longer a difference.'
  }),
]

async function decide(
  context: Context,
  id: string,
  state: 'released' | 'refused',
  reason: string,
): Promise<string> {
  const order = { id, state, reason }
  return (await decideHeldPayment(context, context.actor, order)).depositId
}

const rowOf = ({ depositId, settlementRef, amount, usdCents, ...held }: HeldPayment) => ({
  ...held,
  deposit: depositId,
  payment: settlementRef,
  amount: amount === null ? null : formatDecimal(amount),
  usd: usdCents === null ? 'cannot be valued' : formatCents(usdCents),
})

const formatCents = (cents: bigint): string =>
  `${cents / 100n}.${String(cents % 100n).padStart(2, '0')}`
