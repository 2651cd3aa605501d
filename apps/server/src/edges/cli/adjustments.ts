// Adjustments of wallets on the command line, by two administrators: one proposes, another one approves, here
// or in the dashboard. Each sees the posting before they give the code of their authenticator app.
import type { Actor } from '#audit'
import { newId } from '#kernel/id'
import { type Cents, formatCents, parseAmount } from '#kernel/money'
import type { WalletKind } from '#ledger'
import {
  type Adjustment,
  approveAdjustment,
  listAdjustments,
  type ProposedAdjustment,
  planAdjustment,
  proposeAdjustment,
  readAdjustment,
  withdrawAdjustment,
} from '#operations'
import { proveAdministrator, readPersonEmails } from '#people'
import { type Command, type Context, findAccountOf, reasonOf, UUID, usage } from './invocation.ts'
import { shownPosting } from './posting.ts'
import { json, table } from './table.ts'

const MOST_LISTED = 200
const NO_CODE =
  'Refused: no code was given. Run the command again, and type the six digits that the authenticator app shows.'
const COMMANDS = 'adjust credit|debit <amount>, list, show <id>, approve <id> or withdraw <id>'

export const adjustmentCommands: Readonly<Record<string, Command>> = {
  'wallet:credit': (context) => propose(context, 'credit', context.argument),

  adjust: (context) => {
    const { argument, more } = context
    switch (argument) {
      case 'credit':
      case 'debit':
        return propose(context, argument, more[0])
      case 'list':
        return list(context)
      case 'show':
        return show(context)
      case 'approve':
        return approve(context)
      case 'withdraw':
        return withdraw(context)
      default:
        return usage(COMMANDS)
    }
  },
}

async function propose(
  context: Context,
  side: Adjustment['side'],
  amount: string | undefined,
): Promise<string> {
  const { db, options } = context
  const order = await orderOf(context, side, amount)
  const plan = await planAdjustment(db, order)
  if (plan.balanceAfter < 0n)
    return usage(`the wallet holds ${formatCents(plan.balanceBefore)} only`)
  const posting = `for ${await nameOfAccount(context, order.accountId)}\n${shownPosting(plan)}`
  if (options.as === undefined) {
    return `${posting}\nNothing is proposed yet. Run the command again with --as <your e-mail address>.`
  }
  const actor = await administratorOf(context, posting)
  const proposed = await proposeAdjustment(context, actor, { id: newId(), ...order })
  if (options.json) return json(proposed, 2)
  return (
    `Proposed as ${proposed.id}. Nothing is posted before another administrator approves it, within ` +
    `72 hours, in the dashboard or with: npm run ops -- adjust approve ${proposed.id} --as <e-mail>`
  )
}

async function orderOf(
  context: Context,
  side: Adjustment['side'],
  amount: string | undefined,
): Promise<Adjustment> {
  const { options, command } = context
  const { id: accountId } = await findAccountOf(context, options.account ?? options.merchant)
  const reference = options.reference?.trim()
  return {
    ...{ accountId, side, amount: amountOf(amount), wallet: walletOf(options.wallet) },
    reason: reasonOf(context),
    reference: reference || usage(`${command} needs --reference: it posts once under it`),
  }
}

async function approve(context: Context): Promise<string> {
  const { db, options } = context
  const found = await adjustmentOf(context)
  const [{ proposedBy } = found] = await named(context, [found])
  const facts = `${factsOf(found)}\nproposed by ${proposedBy}, for ${await nameOfAccount(context, found.accountId)}`
  const posting = `${facts}\n${shownPosting(await planAdjustment(db, found))}`
  if (found.state !== 'proposed') return `${posting}\nIt is ${found.state}.`
  if (options.as === undefined) {
    return `${posting}\nNothing is posted yet. Run the command again with --as <your e-mail address>.`
  }
  if (options.as.toLowerCase() === proposedBy.toLowerCase()) {
    throw new Error(`${proposedBy} proposed it: another administrator has to approve it.`)
  }
  const actor = await administratorOf(context, posting)
  const approved = await approveAdjustment(context, actor, found.id)
  if (options.json) return json(approved, 2)
  return approved.state === 'approved'
    ? `Posted as ${approved.journalId}.`
    : `Nothing is posted: it is ${approved.state}.`
}

async function withdraw(context: Context): Promise<string> {
  const found = await adjustmentOf(context)
  const reason = reasonOf(context)
  const actor = await administratorOf(context, factsOf(found))
  const { state } = await withdrawAdjustment(context, actor, { id: found.id, reason })
  return `It is ${state}.`
}

async function list(context: Context): Promise<string> {
  const { state = 'proposed' } = context.options
  if (!['proposed', 'approved', 'withdrawn', 'all'].includes(state))
    return usage('--state is proposed, approved, withdrawn or all')
  const found = await listAdjustments(context, {
    state: state === 'all' ? null : state,
    ...{ cursor: null, limit: MOST_LISTED },
  })
  const shown = await named(context, found)
  if (context.options.json) return json(shown, 2)
  if (shown.length === 0) {
    const which = state === 'proposed' ? 'open ' : state === 'all' ? '' : `${state} `
    return `No ${which}adjustments.`
  }
  const rows = shown.map((each) => ({
    ...each,
    amount: `${formatCents(each.amount)} ${each.currency}`,
  }))
  return table(rows, [
    ...['id', 'state', 'side', 'amount', 'wallet', 'accountId', 'proposedBy', 'proposedAt'],
    ...['reference', 'reason'],
  ])
}

async function show(context: Context): Promise<string> {
  const [shown] = await named(context, [await adjustmentOf(context)])
  return shown && !context.options.json ? factsOf(shown) : json(shown, 2)
}

/** `First merchant, owner@example.com`: two people compare no ids. */
async function nameOfAccount(context: Context, id: string): Promise<string> {
  const { name, email } = await findAccountOf(context, id)
  return [name, email].filter(Boolean).join(', ') || id
}

/** With the e-mail addresses of its administrators in the place of their ids. */
async function named(
  { db }: Context,
  found: readonly ProposedAdjustment[],
): Promise<ProposedAdjustment[]> {
  const ids = found.flatMap(({ proposedBy, decidedBy }) => [proposedBy, decidedBy ?? ''])
  const names = await readPersonEmails(db, ids)
  return found.map((each) => ({
    ...each,
    proposedBy: names.get(each.proposedBy) ?? each.proposedBy,
    decidedBy: each.decidedBy && (names.get(each.decidedBy) ?? each.decidedBy),
  }))
}

const factsOf = ({ id, state, side, wallet, reference, reason }: ProposedAdjustment): string =>
  `${side} of the ${wallet} wallet, ${state} as ${id}: ${reason} (${reference})`

async function adjustmentOf(context: Context): Promise<ProposedAdjustment> {
  const [id = ''] = context.more
  return UUID.test(id) ? readAdjustment(context, id) : usage(`name an adjustment: ${COMMANDS}`)
}

/** Who is meant by --as, after they have seen `about` and given the code of their authenticator app. */
async function administratorOf(context: Context, about: string): Promise<Actor> {
  const { options, command, actor, ask } = context
  const email = options.as ?? usage(`${command} needs --as <your e-mail address>`)
  const secrets = context.openSecrets()
  const code = await ask(`${about}\nCode of the authenticator app of ${email}: `)
  if (code.trim() === '') throw new Error(NO_CODE)
  const id = await proveAdministrator({ ...context, secrets }, { email, code: code.trim() })
  const request = { ...actor.request, operator: actor.id }
  return { kind: 'administrator', id, request }
}

const amountOf = (text: string | undefined): Cents => {
  const amount = parseAmount(text ?? '')
  return amount !== null && amount > 0n ? amount : usage('an amount is a decimal such as 250.00')
}

const walletOf = (name = 'spot'): WalletKind =>
  name === 'spot' || name === 'earnings' ? name : usage('--wallet is spot or earnings')
