// A withdrawal from payout custody begins: everything that can be refused is refused here, and then the
// amount and its fee are set aside in the commit that creates it.
import { post as postUnits } from '#custody'
import type { Clock } from '#infra/clock'
import type { Db, Tx } from '#infra/db'
import { newId } from '#kernel/id'
import { cents } from '#kernel/money'
import { refuse } from '#kernel/refusal'
import type { ApprovalCallback, PayoutNetworks } from './ports.ts'
import { findReplay, hashOf, payable, payment, type Request, refusing } from './request.ts'
import { isUsableDestination, readMerchantSettings } from './store/merchants.ts'
import { lockAccount } from './store/steps.ts'
import { insertWithdrawal, type NewWithdrawal } from './store/withdrawals.ts'
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
  const settings = await readMerchantSettings(db, merchantId)
  if (settings.onlyKnownDestinations) {
    await refuseUnknownDestination(deps, merchantId, request.destination)
  }
  if (!(await callback.isUsable(merchantId, settings))) refuse('CRYPTO_PAYOUT_NO_CALLBACK_URL')
  const at = clock.now()
  const { usdE8, feeCents, decimals } = token
  const withdrawal: NewWithdrawal = {
    ...{ id: newId(at.getTime()), source: 'custody', ownerId: merchantId, tenantId: merchantId },
    ...{ externalId, requestHash },
    ...{ forUserId: forUser?.id ?? null, forUserExternalId: forUser?.externalId ?? null },
    ...payment(request, token),
    feeCents,
    siteFeeCents: cents(0n),
    units: unitsOfCents(request.amountCents, decimals, usdE8),
    feeUnits: unitsOfFee(feeCents, decimals, usdE8),
    ...{ wasCovered: true, journalId: null, usdE8, at },
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
