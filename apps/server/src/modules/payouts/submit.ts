// A withdrawal begins: everything that can be refused is refused here, and then the amount and its fee
// are set aside in the commit that creates it.
import { createHash } from 'node:crypto'
import { post as postUnits } from '#custody'
import { accountRefusal } from '#identity'
import type { Clock } from '#infra/clock'
import { type Db, type Tx, violatedConstraint } from '#infra/db'
import type { ChainName, TokenSymbol } from '#kernel/chain'
import { newId } from '#kernel/id'
import { type Cents, cents } from '#kernel/money'
import { Refusal, refuse } from '#kernel/refusal'
import { post as postCents } from '#ledger'
import type { ApprovalCallback, PayableToken, PayoutNetworks } from './ports.ts'
import { queuePayment } from './release.ts'
import { isUsableDestination, readMerchantSettings } from './store/merchants.ts'
import { lockAccount, readOpenUnits } from './store/steps.ts'
import { findByExternalId, insertWithdrawal, type NewWithdrawal } from './store/withdrawals.ts'
import {
  AMOUNT_BOUNDS,
  asSubmitted,
  parseDestination,
  siteFeeOf,
  unitsOfCents,
  unitsOfFee,
  type Withdrawal,
} from './withdrawal.ts'

export interface SubmitDeps {
  readonly db: Db
  readonly clock: Clock
  readonly networks: PayoutNetworks
  readonly callback: ApprovalCallback
}

interface Request {
  readonly chain: ChainName
  readonly token: TokenSymbol
  /** As the caller gave it. */
  readonly destination: string
  readonly amountCents: Cents
}

export interface CustodyRequest extends Request {
  readonly merchantId: string
  readonly externalId: string
  /** Attribution: it limits nothing. */
  readonly forUser: { readonly id: string; readonly externalId: string | null } | null
}

/**
 * From a merchant's payout custody, in kind. A known external id returns the withdrawal as it was
 * submitted, with another request IDEMPOTENCY_CONFLICT. Refuses CRYPTO_PAYOUT_CHAIN_UNSUPPORTED,
 * CRYPTO_PAYOUT_DESTINATION_INVALID, CRYPTO_PAYOUT_AMOUNT_OUT_OF_RANGE, CRYPTO_PAYOUT_NO_CALLBACK_URL,
 * CRYPTO_PAYOUT_INSUFFICIENT_BALANCE, and SERVICE_DISABLED while there is no price or fee.
 */
export async function submitFromCustody(
  deps: SubmitDeps,
  request: CustodyRequest,
): Promise<Withdrawal> {
  const { db, clock, callback } = deps
  const { merchantId, externalId, forUser } = request
  const requestHash = hashOf({ ...request, forUser: forUser?.id ?? null })
  const replay = await findReplay(db, { ownerId: merchantId, externalId, requestHash })
  if (replay) return replay
  const token = await payable(deps, request)
  await refuseUnknownDestination(deps, merchantId, request.destination)
  if (!(await callback.isUsable(merchantId))) refuse('CRYPTO_PAYOUT_NO_CALLBACK_URL')
  const at = clock.now()
  const { usdE8, feeCents, decimals } = token
  const withdrawal: NewWithdrawal = {
    ...{ id: newId(at.getTime()), source: 'custody', ownerId: merchantId, externalId, requestHash },
    ...{ forUserId: forUser?.id ?? null, forUserExternalId: forUser?.externalId ?? null },
    ...payment(request, token),
    feeCents,
    siteFeeCents: cents(0n),
    units: unitsOfCents(request.amountCents, decimals, usdE8),
    feeUnits: unitsOfFee(feeCents, decimals, usdE8),
    ...{ journalId: null, usdE8, at },
  }
  const created = await refusing(
    'CRYPTO_PAYOUT_INSUFFICIENT_BALANCE',
    db.transaction(async (tx) => {
      await lockAccount(tx, merchantId)
      const inserted = await insertWithdrawal(tx, withdrawal)
      if (inserted) await setAside(tx, inserted, at)
      return inserted
    }),
  )
  if (created) return created
  // Another request with the same external id was first.
  const first = await findReplay(db, { ownerId: merchantId, externalId, requestHash })
  return first ?? refuse('IDEMPOTENCY_CONFLICT')
}

export interface WalletRequest extends Request {
  readonly accountId: string
  /** Null: every call is a withdrawal of its own. */
  readonly idempotencyKey: string | null
  readonly siteFeeBps: number
}

export interface WalletWithdrawal {
  readonly withdrawal: Withdrawal
  /** What the destination gets, in cents: the amount less both fees. */
  readonly receiveCents: Cents
  /** False: it waits until the hot wallet is refilled, and proceeds by itself. */
  readonly isCovered: boolean
}

/**
 * From an account's own wallet in cents, without a callback: the wallet is debited by the amount, and the
 * destination gets it less the network fee and the site fee. The same refusals, and INSUFFICIENT_BALANCE.
 */
export async function submitFromWallet(
  deps: Omit<SubmitDeps, 'callback'>,
  request: WalletRequest,
): Promise<WalletWithdrawal> {
  const { db, clock } = deps
  const { accountId, amountCents, siteFeeBps } = request
  const externalId = request.idempotencyKey ?? newId()
  const requestHash = hashOf(request)
  const replay = await findReplay(db, { ownerId: accountId, externalId, requestHash })
  if (replay) return received(replay, true)
  const token = await payable(deps, request)
  const siteFeeCents = siteFeeOf(amountCents, siteFeeBps)
  const receiveCents = amountCents - token.feeCents - siteFeeCents
  if (receiveCents <= 0n) refuse('CRYPTO_PAYOUT_AMOUNT_OUT_OF_RANGE')
  const at = clock.now()
  const id = newId(at.getTime())
  const units = unitsOfCents(receiveCents, token.decimals, token.usdE8)
  const open = await readOpenUnits(db, request)
  const created = await refusing(
    'INSUFFICIENT_BALANCE',
    db.transaction(async (tx) => {
      await lockAccount(tx, accountId)
      const journalId = await debitWallet(tx, request, {
        ...{ id, externalId, requestHash, at },
        fees: cents(token.feeCents + siteFeeCents),
      })
      const inserted = await insertWithdrawal(tx, {
        ...{ id, source: 'wallet', ownerId: accountId, externalId, requestHash, journalId, at },
        ...{ forUserId: null, forUserExternalId: null },
        ...payment(request, token),
        ...{ feeCents: token.feeCents, siteFeeCents, units, usdE8: token.usdE8 },
        feeUnits: unitsOfCents(0n, token.decimals, token.usdE8),
      })
      if (inserted) await queuePayment(tx, inserted, at)
      return inserted
    }),
  )
  if (created) return received(created, token.hotUnits - open >= units)
  const first = await findReplay(db, { ownerId: accountId, externalId, requestHash })
  return received(first ?? refuse('IDEMPOTENCY_CONFLICT'), true)
}

const received = (withdrawal: Withdrawal, isCovered: boolean): WalletWithdrawal => ({
  withdrawal,
  receiveCents: cents(withdrawal.amountCents - withdrawal.feeCents - withdrawal.siteFeeCents),
  isCovered,
})

const hashOf = (request: object): Buffer =>
  createHash('sha256')
    .update(
      JSON.stringify(request, (_name, value) =>
        typeof value === 'bigint' ? value.toString() : value,
      ),
    )
    .digest()

async function findReplay(
  db: Db,
  {
    ownerId,
    externalId,
    requestHash,
  }: { ownerId: string; externalId: string; requestHash: Buffer },
): Promise<Withdrawal | null> {
  const known = await findByExternalId(db, ownerId, externalId)
  if (known === null) return null
  if (!known.requestHash.equals(requestHash)) refuse('IDEMPOTENCY_CONFLICT')
  return asSubmitted(known.withdrawal)
}

interface Payable {
  readonly address: PayableToken['address']
  readonly decimals: number
  readonly usdE8: bigint
  readonly feeCents: Cents
  readonly hotUnits: bigint
}

/** The token with its price and fee, once chain, amount and destination are in order. */
async function payable(
  { networks }: Pick<SubmitDeps, 'networks'>,
  request: Request,
): Promise<Payable> {
  const { chain, token, destination, amountCents } = request
  const found = await networks.find(chain, token)
  if (found === null) return refuse('CRYPTO_PAYOUT_CHAIN_UNSUPPORTED')
  if (amountCents < AMOUNT_BOUNDS.least || amountCents > AMOUNT_BOUNDS.most) {
    refuse('CRYPTO_PAYOUT_AMOUNT_OUT_OF_RANGE')
  }
  const address = parseDestination(destination)
  if (address === null) return refuse('CRYPTO_PAYOUT_DESTINATION_INVALID')
  const [isOurs, isContract] = await Promise.all([
    networks.isOurs(address),
    networks.isTokenContract(address),
  ])
  if (isOurs || isContract) refuse('CRYPTO_PAYOUT_DESTINATION_INVALID')
  const { usdE8, feeCents } = found
  if (usdE8 === null || feeCents === null) return refuse('SERVICE_DISABLED')
  return { ...found, usdE8, feeCents: cents(feeCents), hotUnits: found.hotUnits ?? 0n }
}

/** A merchant that keeps a list of destinations pays to these alone, each after its day of waiting. */
async function refuseUnknownDestination(
  { db, clock }: Pick<SubmitDeps, 'db' | 'clock'>,
  merchantId: string,
  destination: string,
): Promise<void> {
  const { onlyKnownDestinations } = await readMerchantSettings(db, merchantId)
  const address = parseDestination(destination)
  if (!onlyKnownDestinations || address === null) return
  if (!(await isUsableDestination(db, merchantId, { address, at: clock.now() }))) {
    refuse('CRYPTO_PAYOUT_DESTINATION_INVALID')
  }
}

const payment = (request: Request, token: Payable) => ({
  chain: request.chain,
  token: request.token,
  tokenAddress: token.address,
  decimals: token.decimals,
  destination: request.destination,
  amountCents: request.amountCents,
})

async function setAside(tx: Tx, withdrawal: Withdrawal, at: Date): Promise<void> {
  const { id, ownerId, chain, token, units, feeUnits } = withdrawal
  const posting = {
    key: `withdrawal:${id}`,
    reason: 'withdrawal',
    refId: id,
    chain,
    token,
    debit: { role: 'merchant', ownerId },
    credit: { role: 'in_flight', ownerId },
    units: (units + feeUnits) as typeof units,
  } as const
  await postUnits(tx, [posting], at)
}

/** The whole amount leaves the wallet in one entry; what of it is fees goes on to the account of fees. */
async function debitWallet(
  tx: Tx,
  { accountId, amountCents, destination }: WalletRequest,
  journal: { id: string; externalId: string; requestHash: Buffer; fees: Cents; at: Date },
): Promise<string> {
  const currency = 'USD'
  const clearing = { house: 'clearing_chain' }
  const wallet = { ownerId: accountId, kind: 'spot' }
  const { journalId } = await postCents(tx, {
    kind: 'withdrawal',
    refId: journal.id,
    scopeId: accountId,
    idempotencyKey: `withdrawal:${journal.externalId}`,
    requestHash: journal.requestHash,
    at: journal.at,
    legs: [
      { from: wallet, to: clearing, currency, amount: amountCents },
      { from: clearing, to: { house: 'withdrawal_fees' }, currency, amount: journal.fees },
    ],
    externalRef: destination,
  })
  return journalId
}

/** Errors of the database that say no, as the refusals that they are. */
async function refusing<T>(
  overdraft: 'INSUFFICIENT_BALANCE' | 'CRYPTO_PAYOUT_INSUFFICIENT_BALANCE',
  work: Promise<T>,
): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (error instanceof Refusal) throw error
    const ofAccount = accountRefusal(error)
    if (ofAccount) throw ofAccount
    if (violatedConstraint(error) === 'no_overdraft') throw new Refusal(overdraft)
    throw error
  }
}
