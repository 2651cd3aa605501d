// Payout custody: withdrawals, what is there to withdraw, and where it is put in.
import { merchantRoutes, PAYOUT_TOKENS } from '@tradepost/contract'
import { getSubUser } from '#identity'
import type { Db } from '#infra/database/db'
import { isUuid } from '#kernel/id'
import { cents } from '#kernel/money'
import { refuse } from '#kernel/refusal'
import {
  type CustodyBalance,
  centsOfUnits,
  createSubmitting,
  listCustodyDeposits,
  listWithdrawals,
  type PayoutNetworks,
  quotePayout,
  readBatch,
  readCustody,
  readWithdrawals,
  refuseUnvalued,
  type SubmittingDeps,
  submitBatch,
} from '#payouts'
import {
  custodyDepositView,
  NATIVE_TOKEN_ADDRESS,
  payoutBatchView,
  payoutQuoteView,
  withdrawalView,
} from '#wire/merchant/payout'
import { linesOf } from '../../shared/payout-batch.ts'
import { type MerchantOperations, operation } from '../operation.ts'

export interface PayoutDeps extends SubmittingDeps {
  /** The custody address of an owner; null while addresses are switched off. */
  readonly addressFor: ((ownerId: string) => Promise<string>) | null
  /** The external ids of sub-users, by id. */
  readonly externalIdsOf: (ids: readonly string[]) => Promise<ReadonlyMap<string, string | null>>
}

type PayoutOperation =
  | 'createWithdrawal'
  | 'listWithdrawals'
  | 'getWithdrawal'
  | 'createPayoutBatch'
  | 'getPayoutBatch'
  | 'quotePayout'
  | 'getPayoutBalances'
  | 'getPayoutAddress'
  | 'listCustodyDeposits'

export function createPayoutOperations(
  deps: PayoutDeps,
): Pick<MerchantOperations, PayoutOperation> {
  const { db, networks } = deps
  const submit = createSubmitting(deps)
  return {
    createWithdrawal: operation(
      merchantRoutes.createWithdrawal,
      async ({ caller: { tenant, keyId }, body }) => {
        const { externalId, chain, token, destination, amountCents, forUser } = body
        const user = await findUser(db, tenant.id, forUser)
        const withdrawal = await submit({
          merchantId: tenant.id,
          externalId,
          chain,
          token,
          destination,
          amountCents: cents(BigInt(amountCents)),
          forUser: user && { id: user.id, externalId: user.externalId },
          keyId,
        })
        return withdrawalView(withdrawal)
      },
    ),

    listWithdrawals: operation(
      merchantRoutes.listWithdrawals,
      async ({ caller: { tenant }, query }) => {
        const user = await findUser(db, tenant.id, query.forUser)
        const page = await listWithdrawals(db, {
          of: { ownerId: tenant.id },
          status: query.status ?? null,
          externalId: query.externalId ?? null,
          forUserId: user?.id ?? null,
          cursor: query.cursor ?? null,
          limit: query.limit,
        })
        return { items: page.items.map(withdrawalView), nextCursor: page.nextCursor }
      },
    ),

    getWithdrawal: operation(
      merchantRoutes.getWithdrawal,
      async ({ caller: { tenant }, params }) => {
        const [withdrawal] = isUuid(params.id) ? await readWithdrawals(db, [params.id]) : []
        if (withdrawal?.ownerId !== tenant.id) return refuse('CRYPTO_PAYOUT_NOT_FOUND')
        return withdrawalView(withdrawal)
      },
    ),

    createPayoutBatch: operation(
      merchantRoutes.createPayoutBatch,
      async ({ caller: { tenant, keyId }, body }) => {
        const batch = await submitBatch(deps, {
          merchantId: tenant.id,
          externalId: body.externalId,
          lines: linesOf(body),
          keyId,
        })
        return payoutBatchView(batch)
      },
    ),

    getPayoutBatch: operation(
      merchantRoutes.getPayoutBatch,
      async ({ caller: { tenant }, params }) => {
        const batch = await readBatch(db, params.id)
        if (batch?.ownerId !== tenant.id) return refuse('CRYPTO_PAYOUT_NOT_FOUND')
        return payoutBatchView(batch)
      },
    ),

    quotePayout: operation(merchantRoutes.quotePayout, async ({ caller: { tenant }, body }) => {
      const { chain, token, amountCents } = body
      const amount = cents(BigInt(amountCents))
      const asked = { merchantId: tenant.id, chain, token, amountCents: amount }
      return payoutQuoteView(await quotePayout(deps, asked))
    }),

    getPayoutBalances: operation(
      merchantRoutes.getPayoutBalances,
      async ({ caller: { tenant }, query }) => {
        const user = await findUser(db, tenant.id, query.forUser)
        const held = await db.snapshot((at) => readCustody(at, tenant.id, user?.id ?? null))
        const balances = await Promise.all(held.map((one) => balanceView(networks, one)))
        const totalCents = balances.reduce((sum, { amountCents }) => sum + amountCents, 0)
        return { totalCents, balances }
      },
    ),

    getPayoutAddress: operation(
      merchantRoutes.getPayoutAddress,
      async ({ caller: { tenant }, query }) => {
        const user = await findUser(db, tenant.id, query.forUser)
        if (deps.addressFor === null) return refuse('SERVICE_DISABLED', { reason: 'switched_off' })
        return {
          address: await deps.addressFor(user?.id ?? tenant.id),
          chains: [...(await networks.listChains())],
          tokens: [...PAYOUT_TOKENS],
        }
      },
    ),

    listCustodyDeposits: operation(
      merchantRoutes.listCustodyDeposits,
      async ({ caller: { tenant }, query }) => {
        const user = await findUser(db, tenant.id, query.forUser)
        const page = await listCustodyDeposits(db, {
          merchantId: tenant.id,
          userId: user?.id ?? null,
          cursor: query.cursor ?? null,
          limit: query.limit,
        })
        const users = page.items.flatMap(({ userId }) => userId ?? [])
        const externalIds = await deps.externalIdsOf(users)
        const items = page.items.map((deposit) =>
          custodyDepositView(deposit, externalIds.get(deposit.userId ?? '') ?? null),
        )
        return { items, nextCursor: page.nextCursor }
      },
    ),
  }
}

const findUser = (db: Db, merchantId: string, reference: string | undefined) =>
  reference === undefined ? null : getSubUser(db, merchantId, reference)

/** Valued now. What cannot be priced has no value that may be shown: SERVICE_DISABLED. */
async function balanceView(
  networks: PayoutNetworks,
  { chain, token, units, pendingUnits }: CustodyBalance,
) {
  const found = await networks.find(chain, token)
  const isNothing = units === 0n && pendingUnits === 0n
  const usdE8 = found?.usdE8 ?? (isNothing ? 1n : null)
  if (usdE8 === null) return refuseUnvalued()
  const worth = (amount: bigint): number =>
    Number(centsOfUnits(amount, found?.decimals ?? 18, usdE8))
  return {
    chain,
    token,
    tokenAddress: found?.address ?? NATIVE_TOKEN_ADDRESS,
    amountCents: worth(units),
    amountWei: units.toString(),
    pendingCents: worth(pendingUnits),
  }
}
