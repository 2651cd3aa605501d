// A withdrawal from a wallet in cents begins: without a callback, and with what it costs taken off.
import { readOwnFunds } from '#custody'
import { gathered } from '#infra/database/batch'
import type { Db, Tx } from '#infra/database/db'
import type { Clock } from '#infra/process/clock'
import { baseUnits, type ChainName, type TokenSymbol } from '#kernel/chain'
import { newId } from '#kernel/id'
import { type Cents, cents } from '#kernel/money'
import { Refusal, refuse } from '#kernel/refusal'
import { post as postCents, readBalance } from '#ledger'
import { readQueuedUnits } from '#outbound'
import type { PayoutNetworks } from './ports.ts'
import { findLimits, letGo, type PayoutLimits } from './release.ts'
import {
  countWithdrawals,
  hashOf,
  type Intake,
  payable,
  payment,
  type Request,
  refuseWithoutWorkers,
  refusing,
  replayOf,
  writeTogether,
} from './request.ts'
import { readOpenUnits } from './store/steps.ts'
import { insertWithdrawals, type NewWithdrawal, readByExternalIds } from './store/withdrawals.ts'
import { asSubmitted, refuseFees, siteFeeOf, unitsOfCents, type Withdrawal } from './withdrawal.ts'

export interface WalletRequest extends Request {
  readonly accountId: string
  /** Its partner, else itself: whose daily limit it counts against. */
  readonly tenantId: string
  /** Null: every call is a withdrawal of its own. */
  readonly idempotencyKey: string | null
  /** The service fee, basis points of the amount. */
  readonly siteFeeBps: number
  /** Whose spend limit it counts under; null for a person. */
  readonly keyId: string | null
}

export interface WalletDeps extends Intake {
  readonly db: Db
  readonly clock: Clock
  readonly networks: PayoutNetworks
  readonly limits: PayoutLimits
}

/** Connected to its parts, for requests. */
export interface WalletWithdrawals {
  submit(request: WalletRequest): Promise<WalletWithdrawal>
  quoteFees(token: TokenSymbol): ReturnType<typeof quoteWithdrawalFees>
}

export interface WalletWithdrawal {
  readonly withdrawal: Withdrawal
  /** What the destination gets, in cents: the amount less both fees. */
  readonly receiveCents: Cents
  /** False: it waits for a refill of the hot wallet, or for capital, and proceeds by itself. */
  readonly isCovered: boolean
}

/**
 * From an account's own wallet in cents, without a callback: the wallet is debited by the amount, and the
 * destination gets it less the network fee and the site fee. Above a limit it waits for an operator. A
 * known key returns what its first request was answered, with another request IDEMPOTENCY_CONFLICT.
 * Refuses CRYPTO_PAYOUT_CHAIN_UNSUPPORTED, CRYPTO_PAYOUT_DESTINATION_INVALID,
 * CRYPTO_PAYOUT_AMOUNT_OUT_OF_RANGE (also when the fees leave nothing), INSUFFICIENT_BALANCE,
 * SPENDING_LIMIT_REACHED, and
 * SERVICE_DISABLED while there is no price or fee, or no worker lives. Requests of an account that come
 * together are written together: each of them locks its wallet, and all of them the limits.
 */
export function createSubmittingFromWallet(
  deps: WalletDeps,
): (request: WalletRequest) => Promise<WalletWithdrawal> {
  const { db } = deps
  const begin = gathered({
    keyOf: ({ ownerId }: Draft) => ownerId,
    isOfTenant: true,
    write: (drafts) => insertAndDebit(deps, drafts),
  })

  return async (request) => {
    const { accountId, amountCents, chain, token, destination, idempotencyKey } = request
    const externalId = idempotencyKey ?? newId()
    const requestHash = hashOf({ accountId, amountCents, chain, token, destination })
    const key = { ownerId: accountId, externalId }
    const findReplay = async (): Promise<Withdrawal | null> =>
      replayOf((await readByExternalIds(db, [key]))[0] ?? null, requestHash)
    const replay = await findReplay()
    if (replay) return received(replay)
    await refuseWithoutWorkers(deps)
    const draft = await draftOf(deps, request, { externalId, requestHash })
    const created = await refusing(begin(draft), () => overdraftOf(db, request))
    // Without one, another request with the same key was first.
    return received(created ?? (await findReplay()) ?? refuse('IDEMPOTENCY_CONFLICT'))
  }
}

const insufficient = ({
  amountCents,
  availableCents,
}: {
  readonly amountCents: bigint
  readonly availableCents: bigint
}): Refusal => new Refusal('INSUFFICIENT_BALANCE', { requiredCents: amountCents, availableCents })

const overdraftOf = async (
  db: Db,
  { accountId, amountCents }: Pick<WalletRequest, 'accountId' | 'amountCents'>,
): Promise<Refusal> =>
  insufficient({ amountCents, availableCents: await readBalance(db, accountId) })

type Draft = Omit<NewWithdrawal, 'id' | 'journalId' | 'heldReason'> & Pick<WalletRequest, 'keyId'>
type Debited = Omit<NewWithdrawal, 'heldReason'> & Pick<WalletRequest, 'keyId'>

/** Once everything is in order that does not depend on the balance. */
async function draftOf(
  deps: WalletDeps,
  request: WalletRequest,
  { externalId, requestHash }: Pick<NewWithdrawal, 'externalId' | 'requestHash'>,
): Promise<Draft> {
  const { accountId, tenantId, amountCents, siteFeeBps, keyId } = request
  const token = await payable(deps, request)
  const siteFeeCents = siteFeeOf(amountCents, siteFeeBps)
  const receiveCents = amountCents - token.feeCents - siteFeeCents
  if (receiveCents <= 0n) refuseFees({ feeCents: token.feeCents, siteFeeBps })
  const units = unitsOfCents(receiveCents, token.decimals, token.usdE8)
  // The debit decides. Looked at here too, so that requests without the money cause no sums over the books.
  const availableCents = await readBalance(deps.db, accountId)
  if (availableCents < amountCents) throw insufficient({ amountCents, availableCents })
  return {
    ...{ source: 'wallet', ownerId: accountId, tenantId, externalId, requestHash, keyId },
    ...{ forUserId: null, forUserExternalId: null },
    ...payment(request, token),
    ...{ feeCents: token.feeCents, siteFeeCents, units, usdE8: token.usdE8 },
    feeUnits: baseUnits(0n),
    wasCovered: await isPayable(deps.db, request, { units, hotUnits: token.hotUnits }),
  }
}

/**
 * Whether the hot wallet has it beside all that it is to pay, nothing there waits for gas, and the
 * service's own funds have it beside what they are to pay. A withdrawal from custody takes nothing of these:
 * until it is paid, it is a part of what is owed in kind, and then the holdings and what is owed fall by the
 * same.
 */
async function isPayable(
  db: Db,
  { chain, token }: Pick<Request, 'chain' | 'token'>,
  { units, hotUnits }: { readonly units: bigint; readonly hotUnits: bigint },
): Promise<boolean> {
  // Read first: one that is paid in between counts twice, and never not at all.
  const open = await readOpenUnits(db, { chain, token })
  if (hotUnits - open.all < units) return false
  const queued = await readQueuedUnits(db)
  if (queued.some((one) => one.chain === chain && one.keyRef === 'hot' && one.isGasLow))
    return false
  const own = await readOwnFunds(db, chain, [token])
  return (own.get(token) ?? 0n) - open.ofOwnFunds >= units
}

const insertAndDebit = (
  { limits, ...deps }: WalletDeps,
  drafts: readonly Draft[],
): Promise<(Withdrawal | null)[]> =>
  writeTogether(deps, drafts, async (tx, withdrawals, at) => {
    const debited: Debited[] = []
    for (const one of await leaveOutKnown(tx, withdrawals)) {
      // A debit that fails could not say how much there is.
      const availableCents = await readBalance(tx, one.ownerId)
      if (availableCents < one.amountCents) throw insufficient({ ...one, availableCents })
      debited.push({ ...one, journalId: await debitWallet(tx, one, at) })
    }
    // Before the lock that all tenants share: who waits for a limit of its own keeps no other waiting.
    await countWithdrawals(tx, { asked: debited, created: debited }, at)
    const reasons = await findLimits(tx, debited, { limits, at })
    const decided = debited.map((one, i) => ({ ...one, heldReason: reasons[i] ?? null }))
    const created = await insertWithdrawals(tx, decided, at)
    await letGo(tx, created, at)
    return created.map(asSubmitted)
  })

/** Of two with one key the first is kept: what is not written must not count against limits. */
async function leaveOutKnown<One extends Draft>(tx: Tx, drafts: readonly One[]): Promise<One[]> {
  const known = await readByExternalIds(tx, drafts)
  const keys = drafts.map(({ externalId }) => externalId)
  return drafts.filter((_one, i) => known[i] === null && keys.indexOf(keys[i] ?? '') === i)
}

const received = (withdrawal: Withdrawal): WalletWithdrawal => ({
  withdrawal,
  receiveCents: cents(withdrawal.amountCents - withdrawal.feeCents - withdrawal.siteFeeCents),
  isCovered: withdrawal.wasCovered,
})

/** What a withdrawal of a token costs now on each chain that can pay it, in US cents. */
export async function quoteWithdrawalFees(
  networks: PayoutNetworks,
  token: TokenSymbol,
): Promise<{ readonly chain: ChainName; readonly feeCents: Cents }[]> {
  const quotes = await Promise.all(
    (await networks.listChains()).map(async (chain) => {
      const found = await networks.find(chain, token)
      return found?.feeCents == null ? [] : [{ chain, feeCents: cents(found.feeCents) }]
    }),
  )
  return quotes.flat()
}

/** The whole amount leaves the wallet in one entry; what of it is fees goes on to the account of fees. */
async function debitWallet(
  tx: Tx,
  withdrawal: Draft & { readonly id: string },
  at: Date,
): Promise<string> {
  const { id, ownerId, externalId, requestHash, amountCents, feeCents, siteFeeCents } = withdrawal
  const currency = 'USD'
  const clearing = { house: 'clearing_chain' }
  const wallet = { ownerId, kind: 'spot' }
  const fees = cents(feeCents + siteFeeCents)
  const { journalId } = await postCents(tx, {
    kind: 'withdrawal',
    refId: id,
    scopeId: ownerId,
    idempotencyKey: `withdrawal:${externalId}`,
    requestHash,
    at,
    legs: [
      { from: wallet, to: clearing, currency, amount: amountCents },
      { from: clearing, to: { house: 'withdrawal_fees' }, currency, amount: fees },
    ],
    externalRef: withdrawal.destination,
  })
  return journalId
}
