// Adjustments by two administrators.
import { dashboardRoutes } from '@tradepost/contract'
import {
  type AccountSummary,
  findAccountsNamed,
  readAccountEmails,
  readAccountNames,
} from '#identity'
import { type Cents, parseAmount } from '#kernel/money'
import { cursorPageOf } from '#kernel/page'
import { refuse } from '#kernel/refusal'
import {
  type ActDeps,
  approveAdjustment,
  listAdjustments,
  type ProposedAdjustment,
  planAdjustment,
  proposeAdjustment,
  readAdjustment,
  withdrawAdjustment,
} from '#operations'
import { readPersonEmails } from '#people'
import { adjustmentView, plannedAdjustmentView } from '#wire/dashboard/admin-adjustments'
import { refuseField } from '../../shared/failure.ts'
import { type DashboardOperations, operation } from '../operation.ts'

type AdjustmentOperations = Pick<
  DashboardOperations,
  | 'planAdjustment'
  | 'proposeAdjustment'
  | 'listAdjustments'
  | 'getAdjustment'
  | 'approveAdjustment'
  | 'withdrawAdjustment'
>

export function createAdjustmentOperations(deps: ActDeps): AdjustmentOperations {
  const namesOf = (adjustments: readonly ProposedAdjustment[]) =>
    readPersonEmails(
      deps.db,
      adjustments.flatMap(({ proposedBy, decidedBy }) => [proposedBy, decidedBy ?? '']),
    )
  const readingOf = async (adjustments: readonly ProposedAdjustment[], readerId: string) => {
    const ids = adjustments.map(({ accountId }) => accountId)
    return {
      names: await namesOf(adjustments),
      accounts: await readAccountNames(deps.db, ids),
      accountEmails: await readAccountEmails(deps.db, ids),
      readerId,
    }
  }
  const shown = async (adjustment: ProposedAdjustment, readerId: string) =>
    adjustmentView(adjustment, await readingOf([adjustment], readerId))
  return {
    planAdjustment: operation(dashboardRoutes.planAdjustment, async ({ body }) => {
      const { account: named, amount, ...posting } = body
      const account = accountOf(await findAccountsNamed(deps.db, named))
      const order = { ...posting, amount: amountOf(amount), reason: '', reference: '' }
      const plan = await planAdjustment(deps.db, { ...order, accountId: account.id })
      return plannedAdjustmentView(account, plan)
    }),

    proposeAdjustment: operation(dashboardRoutes.proposeAdjustment, async ({ body, caller }) => {
      const order = { ...body, amount: amountOf(body.amount) }
      return shown(await proposeAdjustment(deps, caller.actor, order), caller.actor.id)
    }),

    listAdjustments: operation(dashboardRoutes.listAdjustments, async ({ query, caller }) => {
      const { cursor = null, state = null, limit } = query
      const rows = await listAdjustments(deps, { cursor, state, limit: limit + 1 })
      const { items, nextCursor } = cursorPageOf(rows, limit, ({ id }) => id)
      const reading = await readingOf(items, caller.actor.id)
      return { items: items.map((each) => adjustmentView(each, reading)), nextCursor }
    }),

    getAdjustment: operation(dashboardRoutes.getAdjustment, async ({ params, caller }) =>
      shown(await readAdjustment(deps, params.id), caller.actor.id),
    ),

    approveAdjustment: operation(dashboardRoutes.approveAdjustment, async ({ params, caller }) =>
      shown(await approveAdjustment(deps, caller.actor, params.id), caller.actor.id),
    ),

    withdrawAdjustment: operation(
      dashboardRoutes.withdrawAdjustment,
      async ({ params, body, caller }) => {
        const order = { id: params.id, reason: body.reason }
        return shown(await withdrawAdjustment(deps, caller.actor, order), caller.actor.id)
      },
    ),
  }
}

/** Refuses what names no account with a wallet, and a name that several have. */
function accountOf([account, another]: readonly AccountSummary[]): AccountSummary {
  if (account && !another && account.kind !== 'admin') return account
  const [rule, message] = another
    ? ['unique', 'Several accounts have this name: enter the e-mail address or the id of one.']
    : ['known', 'No account has this e-mail address, name or id.']
  return refuseField({ in: 'body', pointer: '/account', rule, message })
}

/** The shape has checked its form. */
const amountOf = (text: string): Cents => parseAmount(text) ?? refuse('VALIDATION_FAILED')
