// What a request for a withdrawal has to be before money is set aside, from whichever source.
import { createHash } from 'node:crypto'
import { accountRefusal, countSpends } from '#identity'
import { type Db, type Tx, violatedConstraint } from '#infra/database/db'
import type { Clock } from '#infra/process/clock'
import type { ChainName, TokenSymbol } from '#kernel/chain'
import { newId } from '#kernel/id'
import { type Cents, cents } from '#kernel/money'
import { Refusal, refuse } from '#kernel/refusal'
import type { PayableToken, PayoutNetworks } from './ports.ts'
import { lockAccount } from './store/steps.ts'
import type { KnownWithdrawal } from './store/withdrawals.ts'
import {
  AMOUNT_BOUNDS,
  asSubmitted,
  destinationOf,
  refuseAmount,
  refuseDestination,
  type Withdrawal,
} from './withdrawal.ts'

export interface Request {
  readonly chain: ChainName
  readonly token: TokenSymbol
  /** As the caller gave it. */
  readonly destination: string
  readonly amountCents: Cents
}

/** What makes two requests under one key the same. */
export const hashOf = (request: object): Buffer =>
  createHash('sha256')
    .update(
      JSON.stringify(request, (_name, value) =>
        typeof value === 'bigint' ? value.toString() : value,
      ),
    )
    .digest()

/** The withdrawal of a known key as it was submitted. IDEMPOTENCY_CONFLICT for another request. */
export function replayOf(known: KnownWithdrawal | null, requestHash: Buffer): Withdrawal | null {
  if (known === null) return null
  if (!known.requestHash.equals(requestHash)) refuse('IDEMPOTENCY_CONFLICT')
  return asSubmitted(known.withdrawal)
}

export interface Payable {
  readonly address: PayableToken['address']
  readonly decimals: number
  readonly usdE8: bigint
  readonly feeCents: Cents
  readonly hotUnits: bigint
}

export interface Intake {
  /** Whether no worker lives that would carry out what is accepted now. */
  areWorkersSilent(): Promise<boolean>
}

/** SERVICE_DISABLED for what is new while no worker lives: a replay is answered before. */
export async function refuseWithoutWorkers({ areWorkersSilent }: Intake): Promise<void> {
  if (await areWorkersSilent()) refuse('SERVICE_DISABLED', { reason: 'workers_silent' })
}

/** There is no current price of the token, or no network fee. */
export const refuseUnvalued = (): never => refuse('SERVICE_DISABLED', { reason: 'token_value' })

/** The rate and fee of a quote that is still valid: what is asked for meanwhile uses them. */
export interface QuotedRate {
  /** US dollars for one token, in 1e-8. */
  readonly usdE8: bigint
  readonly feeCents: Cents
}

type Amount = Pick<Request, 'chain' | 'token' | 'amountCents'>

/** Refuses CRYPTO_PAYOUT_CHAIN_UNSUPPORTED and CRYPTO_PAYOUT_AMOUNT_OUT_OF_RANGE. */
export async function findToken(
  networks: PayoutNetworks,
  { chain, token, amountCents }: Amount,
): Promise<PayableToken> {
  const found = await networks.find(chain, token)
  if (found === null) return refuse('CRYPTO_PAYOUT_CHAIN_UNSUPPORTED')
  if (amountCents < AMOUNT_BOUNDS.least || amountCents > AMOUNT_BOUNDS.most) {
    refuseAmount()
  }
  return found
}

/** At the rate of the quote, else of this moment: SERVICE_DISABLED while there is none. */
export function valued(found: PayableToken, quoted: QuotedRate | null): Payable {
  const { usdE8, feeCents } = quoted ?? found
  if (usdE8 === null || feeCents === null) return refuseUnvalued()
  return { ...found, usdE8, feeCents: cents(feeCents), hotUnits: found.hotUnits ?? 0n }
}

/** The token with its price and fee, once chain, amount and destination are in order. */
export async function payable(
  { networks }: { readonly networks: PayoutNetworks },
  request: Request,
  quoted: QuotedRate | null = null,
): Promise<Payable> {
  const found = await findToken(networks, request)
  const address = destinationOf(request.destination)
  const [isOurs, isContract] = await Promise.all([
    networks.isOurs(address),
    networks.isTokenContract(address),
  ])
  if (isOurs) refuseDestination('own_address')
  if (isContract) refuseDestination('token_contract')
  return valued(found, quoted)
}

export const payment = (request: Request, token: Payable) => ({
  chain: request.chain,
  token: request.token,
  tokenAddress: token.address,
  decimals: token.decimals,
  destination: request.destination,
  amountCents: request.amountCents,
})

/** Errors of the database that say no, as the refusals that they are; `overdraft` when the balance does. */
export async function refusing<T>(
  work: Promise<T>,
  overdraft?: () => Refusal | Promise<Refusal>,
): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (error instanceof Refusal) throw error
    const ofAccount = accountRefusal(error)
    if (ofAccount) throw ofAccount
    if (overdraft && violatedConstraint(error) === 'no_overdraft') throw await overdraft()
    throw error
  }
}

/** What keys withdraw counts under their limits: the amounts, without fees. */
export function countWithdrawals(
  tx: Tx,
  {
    asked,
    created,
  }: {
    readonly asked: readonly { readonly id: string; readonly keyId: string | null }[]
    readonly created: readonly Pick<Withdrawal, 'id' | 'amountCents'>[]
  },
  at: Date,
): Promise<void> {
  const keys = new Map(asked.map(({ id, keyId }) => [id, keyId]))
  const spends = created.map(({ id, amountCents }) => ({
    keyId: keys.get(id) ?? null,
    refId: id,
    cents: amountCents,
  }))
  return countSpends(tx, spends, at)
}

/**
 * Writes what one owner asked for in one commit, its account locked, each under an id of its own. What comes
 * back is what was written of each, in their order; null for one whose external id is known.
 */
export async function writeTogether<Draft extends { readonly ownerId: string }>(
  { db, clock }: { readonly db: Db; readonly clock: Clock },
  drafts: readonly Draft[],
  write: (
    tx: Tx,
    withdrawals: readonly (Draft & { readonly id: string })[],
    at: Date,
  ) => Promise<readonly Withdrawal[]>,
): Promise<(Withdrawal | null)[]> {
  const at = clock.now()
  const withdrawals = drafts.map((draft) => ({ ...draft, id: newId(at.getTime()) }))
  const written = await db.transaction(async (tx) => {
    for (const ownerId of new Set(drafts.map((one) => one.ownerId))) await lockAccount(tx, ownerId)
    return write(tx, withdrawals, at)
  })
  const byId = new Map(written.map((one) => [one.id, one]))
  return withdrawals.map(({ id }) => byId.get(id) ?? null)
}
