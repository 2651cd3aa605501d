// A withdrawal from payout custody begins: everything that can be refused is refused here, and then the
// amount and its fee are set aside in the commit that creates it.
import { type Posting, post as postUnits } from '#custody'
import { batched, gathered } from '#infra/database/batch'
import type { Db } from '#infra/database/db'
import type { Clock } from '#infra/process/clock'
import { type BaseUnits, baseUnits } from '#kernel/chain'
import { cents } from '#kernel/money'
import { Refusal, refuse } from '#kernel/refusal'
import type { ApprovalCallback, PayoutNetworks } from './ports.ts'
import {
  countWithdrawals,
  hashOf,
  type Intake,
  type Payable,
  payable,
  payment,
  type QuotedRate,
  type Request,
  refuseWithoutWorkers,
  refusing,
  replayOf,
  writeTogether,
} from './request.ts'
import {
  findMerchantSettings,
  isUsableDestination,
  type MerchantSettings,
  readMerchantSettings,
} from './store/merchants.ts'
import { type QuotedRequest, readQuotes } from './store/quotes.ts'
import {
  type ExternalKey,
  insertWithdrawals,
  type NewWithdrawal,
  readByExternalIds,
} from './store/withdrawals.ts'
import {
  parseDestination,
  refuseDestination,
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

/** A quote needs no worker. */
export type SubmittingDeps = SubmitDeps & Intake

export interface CustodyRequest extends Request {
  readonly merchantId: string
  readonly externalId: string
  /** Attribution: it limits nothing. */
  readonly forUser: { readonly id: string; readonly externalId: string | null } | null
  /** Whose spend limit it counts under; null for a person. */
  readonly keyId: string | null
}

/**
 * From a merchant's payout custody, in kind. A known external id returns the withdrawal as it was
 * submitted, with another request IDEMPOTENCY_CONFLICT. Refuses what `quoteFromCustody` does,
 * CRYPTO_PAYOUT_INSUFFICIENT_BALANCE, SPENDING_LIMIT_REACHED, and SERVICE_DISABLED also while no worker
 * lives. Requests of a merchant that come together are written together: each of them locks its balance.
 */
export function createSubmitting(
  deps: SubmittingDeps,
): (request: CustodyRequest) => Promise<Withdrawal> {
  const { db } = deps
  const find = batched((keys: readonly ExternalKey[]) => readByExternalIds(db, keys))
  const readSettings = batched((ids: readonly string[]) => readMerchantSettings(db, ids))
  const readQuote = batched((asked: readonly QuotedRequest[]) =>
    readQuotes(db, asked, deps.clock.now()),
  )
  const begin = gathered({
    keyOf: ({ ownerId }: Draft) => ownerId,
    isOfTenant: true,
    write: (drafts) => insertAndSetAside(deps, drafts),
  })

  return async (request) => {
    const { merchantId, externalId } = request
    const requestHash = requestHashOf(request)
    const key = { ownerId: merchantId, externalId }
    const replay = replayOf(await find(key), requestHash)
    if (replay) return replay
    await refuseWithoutWorkers(deps)
    const token = await payableFromCustody({ ...deps, readSettings, readQuote }, request)
    const created = await refusing(begin(draftOf(request, token, requestHash)), () =>
      notCovered(request, token),
    )
    // Without one, another request with the same external id was first.
    return created ?? replayOf(await find(key), requestHash) ?? refuse('IDEMPOTENCY_CONFLICT')
  }
}

/** Whichever key sends it, and however it names the sub-user. */
export function requestHashOf(request: CustodyRequest): Buffer {
  const { merchantId, externalId, chain, token, destination, amountCents, forUser } = request
  const asked = { merchantId, externalId, chain, token, destination, amountCents }
  return hashOf({ ...asked, forUser: forUser?.id ?? null })
}

export const notCovered = (
  { chain, token, amountCents }: Pick<Request, 'chain' | 'token' | 'amountCents'>,
  { feeCents }: Pick<Payable, 'feeCents'>,
): Refusal =>
  new Refusal('CRYPTO_PAYOUT_INSUFFICIENT_BALANCE', {
    ...{ chain, token },
    requiredCents: Number(amountCents + feeCents),
  })

/** What a withdrawal costs at this moment. */
export interface CustodyQuote {
  readonly token: Payable
  /** What the destination gets. */
  readonly units: BaseUnits
  /** The network fee, taken from custody on top. */
  readonly feeUnits: BaseUnits
}

type Asked = Request & Pick<CustodyRequest, 'merchantId'>

/**
 * Sets nothing aside. Refuses CRYPTO_PAYOUT_CHAIN_UNSUPPORTED, CRYPTO_PAYOUT_DESTINATION_INVALID,
 * CRYPTO_PAYOUT_AMOUNT_OUT_OF_RANGE, CRYPTO_PAYOUT_NO_CALLBACK_URL, and SERVICE_DISABLED while there is
 * no price or fee.
 */
export async function quoteFromCustody(deps: SubmitDeps, request: Asked): Promise<CustodyQuote> {
  const { db, clock } = deps
  const readSettings = (id: string): Promise<MerchantSettings> => findMerchantSettings(db, id)
  const readQuote = async (asked: QuotedRequest): Promise<QuotedRate | null> =>
    (await readQuotes(db, [asked], clock.now()))[0] ?? null
  return quoteOf(request, await payableFromCustody({ ...deps, readSettings, readQuote }, request))
}

/** What a withdrawal of the request costs at the rate and fee of the token. */
export const quoteOf = (
  { amountCents }: Pick<Request, 'amountCents'>,
  token: Payable,
): CustodyQuote => ({
  token,
  units: unitsOfCents(amountCents, token.decimals, token.usdE8),
  feeUnits: unitsOfFee(token.feeCents, token.decimals, token.usdE8),
})

/** The token, once everything is in order that does not depend on the balance. */
async function payableFromCustody(
  deps: SubmitDeps & {
    readonly readSettings: (id: string) => Promise<MerchantSettings>
    readonly readQuote: (request: QuotedRequest) => Promise<QuotedRate | null>
  },
  request: Asked,
): Promise<Payable> {
  const { callback, readSettings, readQuote } = deps
  const { merchantId, destination } = request
  const [settings, quoted] = await Promise.all([readSettings(merchantId), readQuote(request)])
  const token = await payable(deps, request, quoted)
  if (settings.onlyKnownDestinations) await refuseUnknownDestination(deps, merchantId, destination)
  if (!(await callback.isUsable(merchantId, settings))) refuse('CRYPTO_PAYOUT_NO_CALLBACK_URL')
  return token
}

export type Draft = Omit<NewWithdrawal, 'id'> & Pick<CustodyRequest, 'keyId'>

export function draftOf(request: CustodyRequest, token: Payable, requestHash: Buffer): Draft {
  const { merchantId, externalId, forUser, keyId } = request
  const { usdE8, feeCents } = token
  const { units, feeUnits } = quoteOf(request, token)
  return {
    ...{ source: 'custody', ownerId: merchantId, tenantId: merchantId },
    ...{ externalId, requestHash, keyId },
    ...{ forUserId: forUser?.id ?? null, forUserExternalId: forUser?.externalId ?? null },
    ...payment(request, token),
    ...{ feeCents, siteFeeCents: cents(0n), units, feeUnits },
    ...{ wasCovered: true, heldReason: null, journalId: null, usdE8 },
  }
}

const insertAndSetAside = (
  deps: Pick<SubmitDeps, 'db' | 'clock'>,
  drafts: readonly Draft[],
): Promise<(Withdrawal | null)[]> =>
  writeTogether(deps, drafts, async (tx, withdrawals, at) => {
    const created = await insertWithdrawals(tx, withdrawals, at)
    await postUnits(tx, created.map(setAside), at)
    await countWithdrawals(tx, { asked: withdrawals, created }, at)
    return created
  })

/** A merchant that keeps a list of destinations pays to these alone, each after its day of waiting. */
async function refuseUnknownDestination(
  { db, clock }: Pick<SubmitDeps, 'db' | 'clock'>,
  merchantId: string,
  destination: string,
): Promise<void> {
  const address = parseDestination(destination)
  const isUsable =
    address !== null && (await isUsableDestination(db, merchantId, { address, at: clock.now() }))
  if (!isUsable) refuseDestination('not_listed')
}

export function setAside({ id, ownerId, chain, token, units, feeUnits }: Withdrawal): Posting {
  return {
    key: `withdrawal:${id}`,
    reason: 'withdrawal',
    refId: id,
    chain,
    token,
    debit: { role: 'merchant', ownerId },
    credit: { role: 'in_flight', ownerId },
    units: baseUnits(units + feeUnits),
  }
}
