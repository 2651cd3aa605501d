// What a restore has left, on the command line: which orders have no trade, and booking them as a loss.
import { formatCents, sumCents } from '#kernel/money'
import { approveLoss, planLosses, proposeLoss } from '#operations'
import { administratorOf } from './adjustments.ts'
import { type Context, fail, findAccountOf } from './context.ts'
import { AS_JSON, argument, command, option, REASON, uuid } from './declare.ts'
import { json, table, withFacts } from './table.ts'

const RESTORE = argument('<restore>', '`restored plan` shows it', uuid)
const AS = option('--as <e-mail>', 'an administrator, who gives a code of their authenticator app')

export const restoredCommands = [
  command('restored [plan]', 'orders whose trades a restore has lost, by tenant', AS_JSON).does(
    plan,
  ),
  command(
    'restored close',
    'a week after a restore: propose to book what no merchant has asked for again as a loss',
    ...[RESTORE, REASON, AS],
  ).does(async (context, restoreId, { reason, as }) => {
    const about = await lossOf(context, restoreId)
    if (as === undefined)
      return `${about}\nNothing is proposed yet. Run it again with --as <e-mail>.`
    const actor = await administratorOf(context, as, about)
    const answer = await proposeLoss(context, actor, { restoreId, reason })
    switch (answer.kind) {
      case 'proposed':
        return (
          `Proposed: ${answer.orders} orders, ${formatCents(answer.amount)} USD. Another administrator books it ` +
          `with: npm run ops -- restored approve ${restoreId} --as <e-mail>`
        )
      case 'too_soon':
        return fail(`merchants may ask for their trades until ${answer.from.toISOString()}`)
      case 'closed':
        return fail(BOOKED)
    }
  }),
  command(
    'restored approve',
    'shows the loss; with --as another administrator books it',
    ...[RESTORE, AS],
  ).does(async (context, restoreId, { as }) => {
    const about = await lossOf(context, restoreId)
    if (as === undefined) return `${about}\nNothing is booked yet. Run it again with --as <e-mail>.`
    const actor = await administratorOf(context, as, about)
    const answer = await approveLoss(context, actor, restoreId)
    switch (answer.kind) {
      case 'approved':
        return `Booked: ${answer.orders} orders, ${formatCents(answer.amount)} USD, as ${answer.journalId ?? 'nothing'}.`
      case 'changed':
        return fail('what is left has changed since it was proposed: propose it again')
      case 'closed':
        return fail(BOOKED)
    }
  }),
]

const BOOKED = 'it is booked already'

async function plan(context: Context, options: { readonly json?: true }): Promise<string> {
  const { orders, unnamed } = await planLosses(context.db)
  if (options.json) return json({ orders, unnamed: unnamed.map(withFacts) }, 2)
  if (orders.length + unnamed.length === 0) return 'No order is without a trade.'
  const tenants = Map.groupBy(orders, ({ tenantId }) => tenantId)
  const parts = await Promise.all(
    [...tenants].map(async ([tenantId, lost]) => {
      const rows = lost.map((order) => ({
        ...{ restore: order.restoreId, at: order.begunAt, user: order.userExternalId },
        ...{ externalId: order.externalId, item: order.description.marketHashName },
        price: `${formatCents(order.price)} ${order.currency}`,
        cost: order.caseId === null ? 'not at the market' : `${formatCents(order.cost)} USD`,
      }))
      const columns = ['restore', 'at', 'user', 'externalId', 'price', 'cost', 'item']
      return `${await nameOf(context, tenantId)}: ${lost.length} orders\n${table(rows, columns)}`
    }),
  )
  if (unnamed.length > 0) {
    parts.push(`${unnamed.length} cases orphan_purchase that no file of intents explains`)
  }
  return parts.join('\n\n')
}

/** A tenant may be lost as well. */
const nameOf = async (context: Context, id: string): Promise<string> =>
  findAccountOf(context, id).then(
    ({ name, email }) => `${[name, email].filter(Boolean).join(', ')} (${id})`,
    () => id,
  )

async function lossOf({ db }: Context, restoreId: string): Promise<string> {
  const { orders } = await planLosses(db)
  const left = orders.filter((order) => order.restoreId === restoreId)
  const charged = left.filter(({ caseId }) => caseId !== null)
  const total = sumCents(charged.map(({ cost }) => cost))
  return (
    `${left.length} orders have no trade, ${charged.length} of them are at a market, for ` +
    `${formatCents(total)} USD: from lost_orders to supplier_prefund.`
  )
}
