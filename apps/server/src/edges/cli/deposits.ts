// Payments that were held back, on the command line.
import { type HeldPayment, listHeldPayments } from '#deposits'
import { formatDecimal } from '#kernel/decimal'
import { isUuid } from '#kernel/id'
import { decideHeldPayment, explainStatement } from '#operations'
import { type Command, type Context, reasonOf, usage } from './invocation.ts'
import { json, table } from './table.ts'

const MAX_LISTED = 1_000

async function listWaiting({ db, options }: Context): Promise<string> {
  const held = await listHeldPayments(db, MAX_LISTED)
  if (options.json) return json(held)
  if (held.length === 0) return 'No payment waits for an operator.'
  const columns = ['id', 'deposit', 'provider', 'payment', 'amount', 'usd', 'heldAt', 'problem']
  return table(held.map(rowOf), columns)
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

async function explain(context: Context): Promise<string> {
  const [, provider = '', ref = ''] = /^(gateway|onramp):(.+)$/.exec(context.more[0] ?? '') ?? []
  if (provider !== 'gateway' && provider !== 'onramp') {
    return usage('name a movement, such as gateway:48000000000001024/0x…')
  }
  await explainStatement(context, context.actor, { provider, ref, reason: reasonOf(context) })
  return 'It is explained, and no longer a difference.'
}

const deposits: Command = async (context) => {
  const { argument = 'list', more, actor } = context
  if (argument === 'list') return listWaiting(context)
  if (argument === 'explain') return explain(context)
  if (argument !== 'release' && argument !== 'refuse') {
    return usage('deposits list, release, refuse or explain')
  }
  const [id = ''] = more
  if (!isUuid(id)) return usage('name a held payment by its id')
  const state = argument === 'release' ? 'released' : 'refused'
  const { depositId } = await decideHeldPayment(context, actor, {
    ...{ id, state },
    reason: reasonOf(context),
  })
  return state === 'released'
    ? `The next look at deposit ${depositId} credits it.`
    : `It is never credited to deposit ${depositId}. Its money stays with the provider.`
}

export const depositCommands: Readonly<Record<string, Command>> = { deposits }
