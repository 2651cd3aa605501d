// Withdrawals on the command line.
import { formatCents } from '#kernel/money'
import { refuse } from '#kernel/refusal'
import { decideNoEffect, recordLostPayment, refuseWithdrawal, releaseWithdrawal } from '#operations'
import { readByReferences, readLeftChain, readQueuedUnits } from '#outbound'
import { listApprovalAttempts, listHeld, readWithdrawals } from '#payouts'
import { type Context, fail, usage } from './context.ts'
import { AS_JSON, argument, command, option, REASON, uuid, wrong } from './declare.ts'
import { json, table } from './table.ts'
import { hash } from './wallets.ts'
import { describeWithdrawal, type FoundWithdrawal, statusTextOf } from './withdrawal-text.ts'

const MAX_LISTED = 1_000

const ID = argument('<id>', 'of the withdrawal', uuid)

const nonce = (text: string): number =>
  /^\d{1,15}$/.test(text)
    ? Number(text)
    : wrong('It is that of the transaction, as an explorer shows it.')

export const payoutCommands = [
  command('payouts [list]', 'withdrawals that wait for an operator', AS_JSON).does(
    async ({ db }, options) => {
      const held = await listHeld(db, MAX_LISTED)
      if (options.json) return json(held)
      const rows = held.map((one) => ({
        ...{ ...one, why: one.heldReason, dollars: formatCents(one.amountCents) },
      }))
      const waiting =
        held.length === 0
          ? 'No withdrawal waits for an operator.'
          : table(rows, ['id', 'why', 'dollars', 'token', 'chain', 'destination', 'createdAt'])
      const queued = await listQueued(db)
      return queued === null ? waiting : `${waiting}\n\n${queued}`
    },
  ),
  command(
    'payouts show',
    'a withdrawal: its approval, and the payment that it became',
    ...[ID, AS_JSON],
  ).does(async ({ db }, id, options) => {
    const found = await readForOperator(db, id)
    return options.json ? json(found) : describeWithdrawal(found)
  }),
  command('payouts release', 'let a withdrawal that waits be paid', ID, REASON).does(
    async (context, id, { reason }) => {
      const { withdrawal } = await readForOperator(context.db, id)
      if (withdrawal.heldReason === null) {
        return fail(`it does not wait for an operator: it is ${statusTextOf(withdrawal)}`)
      }
      await releaseWithdrawal(context, context.actor, { id, reason })
      return `Withdrawal ${id} leaves now.`
    },
  ),
  command('payouts refuse', 'refuse a withdrawal, and refund it', ID, REASON).does(
    async (context, id, { reason }) =>
      REFUSED[await refuseWithdrawal(context, context.actor, { id, reason })],
  ),
  command(
    'payouts paid',
    'record that a payment was made that was mined without moving its token, or that a restored database lacks',
    ID,
    option(
      '--hash <transaction>',
      'after a restore: of a transaction that the database lacks and that has paid it, so it is confirmed and ' +
        'not paid again',
      hash,
    ),
    option('--nonce <its nonce>', 'of that transaction', nonce),
    REASON,
  ).does(async (context, id, { hash, nonce, reason }) => {
    if (hash === undefined && nonce === undefined) {
      await decideNoEffect(context, context.actor, { id, paid: true, reason })
      return 'Recorded as paid.'
    }
    if (hash === undefined || nonce === undefined) {
      return usage('--hash and --nonce are given together')
    }
    await recordLostPayment(context, context.actor, { id, hash, nonce, reason })
    return 'Recorded as paid. It is confirmed, and not paid again.'
  }),
  command(
    'payouts unpaid',
    'record that a payment was not made that was mined without moving its token',
    ...[ID, REASON],
  ).does(async (context, id, { reason }) => {
    await decideNoEffect(context, context.actor, { id, paid: false, reason })
    return 'Recorded as unpaid.'
  }),
]

/** What is not signed yet, and waits for no person; null: nothing. */
async function listQueued(db: Context['db']): Promise<string | null> {
  const queued = (await readQueuedUnits(db)).filter(({ keyRef }) => keyRef === 'hot')
  if (queued.length === 0) return null
  const rows = queued.map(({ chain, token, units, isLow, isGasLow }) => ({
    ...{ chain, token, units },
    why: isLow ? 'the wallet is low' : isGasLow ? 'its gas is low' : 'to be signed',
  }))
  return `Queued, and leaving by themselves (base units):\n${table(rows, ['chain', 'token', 'units', 'why'])}`
}

/** The withdrawal, the POSTs of its approval, its payment, and since when that left its chain. */
async function readForOperator(db: Context['db'], id: string): Promise<FoundWithdrawal> {
  const [withdrawal] = await readWithdrawals(db, [id])
  if (withdrawal === undefined) return refuse('CRYPTO_PAYOUT_NOT_FOUND')
  const [attempts, [transaction = null]] = await Promise.all([
    listApprovalAttempts(db, id),
    readByReferences(db, 'payout', [id]),
  ])
  const leftChain = transaction && (await readLeftChain(db, transaction.id))
  return { withdrawal, attempts, transaction, leftChain }
}

const REFUSED = {
  refunded: 'It is refunded: it was never signed.',
  requested:
    'Its nonce is being filled. It is refunded when the cancel transaction is final, unless it was paid first.',
  busy: 'It is being signed at this moment. Try again.',
  too_late: 'It is at its end already.',
} as const
