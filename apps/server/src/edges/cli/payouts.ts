// Withdrawals, destinations and wallets on the command line.
import type { Hex } from '#kernel/chain'
import { isUuid } from '#kernel/id'
import { formatCents } from '#kernel/money'
import { refuse } from '#kernel/refusal'
import {
  changeDestinations,
  decideNoEffect,
  recordLostPayment,
  refuseWithdrawal,
  releaseWithdrawal,
  settleDisplacedPayment,
  switchWallet,
} from '#operations'
import {
  type KeyRef,
  listDisplacedFinals,
  listWallets,
  readByReferences,
  readLeftChain,
  readQueuedUnits,
} from '#outbound'
import {
  listApprovalAttempts,
  listDestinations,
  listHeld,
  parseDestination,
  readWithdrawals,
} from '#payouts'
import { loss, opening } from './correction.ts'
import { type Command, type Context, merchantOf, reasonOf, usage } from './invocation.ts'
import { json, table } from './table.ts'
import { describeWithdrawal, type FoundWithdrawal, standingOf } from './withdrawal-text.ts'

const idOf = (text: string | undefined): string =>
  text !== undefined && isUuid(text) ? text : usage('name a withdrawal by its id')

const MAX_LISTED = 1_000

async function listWaiting({ db, options }: Context): Promise<string> {
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
}

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

async function showWallets({ db, options }: Context): Promise<string> {
  const wallets = await listWallets(db)
  if (options.json) return json(wallets)
  if (wallets.length === 0) return 'No wallet has signed anything yet.'
  const listed = table(
    wallets.map((one) => ({ ...one })),
    ['chain', 'keyRef', 'address', 'nextNonce', 'state', 'haltedReason'],
  )
  const displaced = await listDisplacedFinals(db)
  return displaced.length === 0 ? listed : `${listed}\n\n${displacedTable(displaced)}`
}

const displacedTable = (displaced: Awaited<ReturnType<typeof listDisplacedFinals>>): string =>
  `Never final again as they are booked: other transactions have their nonces, or they were mined again and
ended differently. Nothing moves by itself: docs/runbooks/foreign-nonce.md, step 6. “wallets settle <hash>”
records what was done.
${table(
  displaced.map((one) => ({ ...one })),
  [
    'displacedAt',
    'chain',
    'keyRef',
    'purpose',
    'refId',
    'booked',
    'recipient',
    'token',
    'units',
    'nonce',
    'hash',
  ],
)}`

const payouts: Command = async (context) => {
  const { argument = 'list', more, actor, db } = context
  switch (argument) {
    case 'list':
      return listWaiting(context)
    case 'show': {
      const found = await readForOperator(db, idOf(more[0]))
      return context.options.json ? json(found) : describeWithdrawal(found)
    }
    case 'release': {
      const id = idOf(more[0])
      const { withdrawal } = await readForOperator(db, id)
      if (withdrawal.heldReason === null) {
        return usage(`it does not wait for an operator: it is ${standingOf(withdrawal)}`)
      }
      await releaseWithdrawal(context, actor, { id, reason: reasonOf(context) })
      return `Withdrawal ${id} leaves now.`
    }
    case 'refuse': {
      const answer = await refuseWithdrawal(context, actor, {
        id: idOf(more[0]),
        reason: reasonOf(context),
      })
      return REFUSED[answer]
    }
    case 'paid': {
      if (context.options.hash === undefined) return decide(context, true)
      const hash = hashOf(context.options.hash)
      const id = idOf(more[0])
      const nonce = nonceOf(context.options.nonce)
      await recordLostPayment(context, actor, { id, hash, nonce, reason: reasonOf(context) })
      return 'Recorded as paid. It is confirmed, and not paid again.'
    }
    case 'unpaid':
      return decide(context, false)
    default:
      return usage('payouts list, show, release, refuse, paid or unpaid')
  }
}

async function decide(context: Context, paid: boolean): Promise<string> {
  const id = idOf(context.more[0])
  await decideNoEffect(context, context.actor, { id, paid, reason: reasonOf(context) })
  return paid ? 'Recorded as paid.' : 'Recorded as unpaid.'
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
    'Its nonce is being filled. It is refunded when the filler is final, unless it was paid first.',
  busy: 'It is being signed at this moment. Try again.',
  too_late: 'It is at its end already.',
} as const

const wallets: Command = async (context) => {
  const { argument = 'list', more, actor } = context
  if (argument === 'list') return showWallets(context)
  if (argument === 'settle') {
    const hash = hashOf(more[0])
    await settleDisplacedPayment(context, actor, { hash, reason: reasonOf(context) })
    return 'Recorded. It is not listed any more.'
  }
  if (!['halt', 'reopen', 'opening', 'loss'].includes(argument)) {
    return usage('wallets list, halt, reopen, settle, opening or loss')
  }
  const [chain = '', key = ''] = (more[0] ?? '').split(':')
  if (!/^(hot|gas|deposit\/\d+)$/.test(key)) return usage('name a wallet, such as base:hot')
  if (argument === 'opening') return opening(context, chain, key)
  if (argument === 'loss') return loss(context, chain, key)
  const wallet = { chain, keyRef: key as KeyRef }
  await switchWallet(context, actor, wallet, {
    halt: argument === 'halt',
    reason: reasonOf(context),
    foreignHashes: hashesOf(context.options.hash),
  })
  return argument === 'halt'
    ? 'Nothing is signed or sent from it any more.'
    : 'A worker compares it with the chain and opens it. `wallets list` shows why when it stays halted.'
}

function nonceOf(text = ''): number {
  return /^\d{1,15}$/.test(text)
    ? Number(text)
    : usage('--nonce is that of the transaction, as an explorer shows it')
}

function hashOf(text: string | undefined): Hex {
  const [hash, ...others] = hashesOf(text)
  if (hash === undefined || others.length > 0) return usage('name one transaction by its hash')
  return hash
}

/** Separated by commas. */
function hashesOf(text: string | undefined): Hex[] {
  const hashes = text === undefined ? [] : text.toLowerCase().split(',')
  return hashes.map((hash) =>
    /^0x[0-9a-f]{64}$/.test(hash) ? (hash as Hex) : usage('a hash is 0x and 64 hexadecimal digits'),
  )
}

const destinations: Command = async (context) => {
  const { argument = 'list', more, actor, db, options } = context
  const merchantId = await merchantOf(context)
  if (argument === 'list') {
    const found = await listDestinations(db, merchantId)
    if (options.json) return json(found)
    if (found.length === 0)
      return 'No destination is listed: `npm run ops -- destinations add <address>` lists one.'
    return table(
      found.map((one) => ({ ...one })),
      ['address', 'usableFrom'],
    )
  }
  if (argument === 'only' || argument === 'any') {
    const on = argument === 'only'
    await changeDestinations(context, actor, merchantId, { kind: 'only_known', on })
    return on ? 'Withdrawals go only to listed destinations.' : 'Any destination is allowed.'
  }
  if (argument !== 'add' && argument !== 'remove')
    return usage('destinations list, add, remove, only or any')
  const address = parseDestination(more[0] ?? '')
  if (address === null) return usage('name an address')
  await changeDestinations(context, actor, merchantId, { kind: argument, address })
  return argument === 'add' ? 'It can be used after a day.' : 'It is removed.'
}

export const payoutCommands: Readonly<Record<string, Command>> = { payouts, wallets, destinations }
