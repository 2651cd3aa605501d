// A withdrawal from payout custody begins: everything that can be refused is refused here, and then the
// amount and its fee are set aside in the commit that creates it.
import { type Posting, post as postUnits } from '#custody'
import { batched, gathered } from '#infra/batch'
import type { Clock } from '#infra/clock'
import type { Db } from '#infra/db'
import { baseUnits } from '#kernel/chain'
import { newId } from '#kernel/id'
import { cents } from '#kernel/money'
import { refuse } from '#kernel/refusal'
import type { ApprovalCallback, PayoutNetworks } from './ports.ts'
import {
  hashOf,
  type Payable,
  payable,
  payment,
  type Request,
  refusing,
  replayOf,
} from './request.ts'
import { isUsableDestination, readMerchantSettings } from './store/merchants.ts'
import { lockAccount } from './store/steps.ts'
import {
  type ExternalKey,
  insertWithdrawals,
  type NewWithdrawal,
  readByExternalIds,
} from './store/withdrawals.ts'
import { parseDestination, unitsOfCents, unitsOfFee, type Withdrawal } from './withdrawal.ts'

export interface SubmitDeps {
  readonly db: Db
  readonly clock: Clock
  readonly networks: PayoutNetworks
  readonly callback: ApprovalCallback
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
 * CRYPTO_PAYOUT_INSUFFICIENT_BALANCE, and SERVICE_DISABLED while there is no price or fee. Requests of a
 * merchant that come together are written together: each of them locks its balance.
 */
export function createSubmitting(
  deps: SubmitDeps,
): (request: CustodyRequest) => Promise<Withdrawal> {
  const { db, callback } = deps
  const find = batched((keys: readonly ExternalKey[]) => readByExternalIds(db, keys))
  const readSettings = batched((ids: readonly string[]) => readMerchantSettings(db, ids))
  const begin = gathered({
    keyOf: ({ ownerId }: Draft) => ownerId,
    write: (drafts) => insertAndSetAside(deps, drafts),
  })

  return async (request) => {
    const { merchantId, externalId, forUser } = request
    const requestHash = hashOf({ ...request, forUser: forUser?.id ?? null })
    const key = { ownerId: merchantId, externalId }
    const replay = replayOf(await find(key), requestHash)
    if (replay) return replay
    const [token, settings] = await Promise.all([payable(deps, request), readSettings(merchantId)])
    if (settings.onlyKnownDestinations) {
      await refuseUnknownDestination(deps, merchantId, request.destination)
    }
    if (!(await callback.isUsable(merchantId, settings))) refuse('CRYPTO_PAYOUT_NO_CALLBACK_URL')
    const created = await refusing(
      'CRYPTO_PAYOUT_INSUFFICIENT_BALANCE',
      begin(draftOf(request, token, requestHash)),
    )
    // Without one, another request with the same external id was first.
    return created ?? replayOf(await find(key), requestHash) ?? refuse('IDEMPOTENCY_CONFLICT')
  }
}

type Draft = Omit<NewWithdrawal, 'id'>

function draftOf(request: CustodyRequest, token: Payable, requestHash: Buffer): Draft {
  const { merchantId, externalId, forUser, amountCents } = request
  const { usdE8, feeCents, decimals } = token
  return {
    ...{ source: 'custody', ownerId: merchantId, tenantId: merchantId },
    ...{ externalId, requestHash },
    ...{ forUserId: forUser?.id ?? null, forUserExternalId: forUser?.externalId ?? null },
    ...payment(request, token),
    feeCents,
    siteFeeCents: cents(0n),
    units: unitsOfCents(amountCents, decimals, usdE8),
    feeUnits: unitsOfFee(feeCents, decimals, usdE8),
    ...{ wasCovered: true, heldReason: null, journalId: null, usdE8 },
  }
}

/** Of one owner, in one commit. Null for one whose external id is known. */
async function insertAndSetAside(
  { db, clock }: Pick<SubmitDeps, 'db' | 'clock'>,
  drafts: readonly Draft[],
): Promise<(Withdrawal | null)[]> {
  const at = clock.now()
  const withdrawals = drafts.map((draft) => ({ ...draft, id: newId(at.getTime()) }))
  const inserted = await db.transaction(async (tx) => {
    for (const ownerId of new Set(drafts.map((one) => one.ownerId))) await lockAccount(tx, ownerId)
    const created = await insertWithdrawals(tx, withdrawals, at)
    await postUnits(tx, created.map(setAside), at)
    return created
  })
  const byId = new Map(inserted.map((one) => [one.id, one]))
  return withdrawals.map(({ id }) => byId.get(id) ?? null)
}

/** A merchant that keeps a list of destinations pays to these alone, each after its day of waiting. */
async function refuseUnknownDestination(
  { db, clock }: Pick<SubmitDeps, 'db' | 'clock'>,
  merchantId: string,
  destination: string,
): Promise<void> {
  const address = parseDestination(destination)
  const isUsable =
    address !== null && (await isUsableDestination(db, merchantId, { address, at: clock.now() }))
  if (!isUsable) {
    refuse('CRYPTO_PAYOUT_DESTINATION_INVALID')
  }
}

function setAside({ id, ownerId, chain, token, units, feeUnits }: Withdrawal): Posting {
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
