// A withdrawal that waits for its approval, without a node: what lists, exports and searches show of it.
import assert from 'node:assert/strict'
import type { Db } from '#infra/database/db'
import { baseUnits } from '#kernel/chain'
import { newId } from '#kernel/id'
import { cents } from '#kernel/money'
import { type ManualClock, manualClock } from '../../../../infra/testing/clock.ts'
import { post } from '../../../money/custody/index.ts'
import type { PayoutNetworks } from '../ports.ts'
import { createSubmitting, type SubmittingDeps } from '../submit.ts'
import { createSubmittingFromWallet } from '../submit-from-wallet.ts'
import type { Withdrawal } from '../withdrawal.ts'

const CHAIN = 'base'
const TOKEN = 'ETH'
/** 3,000.00 dollars, so that an amount in dollars needs every digit of the token. */
const USD_E8 = 300_000_000_000n

const DESTINATION = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8' as const

/** What these builders withdraw: 12.34 dollars, for a fee of 0.10. */
export const PAYMENT = {
  ...{ chain: CHAIN, token: TOKEN, destination: DESTINATION },
  amountCents: cents(1_234n),
} as const

export const NETWORKS: PayoutNetworks = {
  find: async () => ({
    ...{ address: null, decimals: 18, usdE8: USD_E8 },
    ...{ feeCents: 10n, hotUnits: 10n ** 18n },
  }),
  listChains: async () => [CHAIN],
  isOurs: async () => false,
  isTokenContract: async () => false,
}

interface Given {
  readonly at: Date
  /** Whose spend limit it counts under. */
  readonly keyId?: string | null
  readonly areWorkersSilent?: boolean
}

const NO_LIMIT = cents(10n ** 12n)

/** Of 12.34 dollars from the wallet of an account, which holds them already. */
export async function givenWalletWithdrawal(
  db: Db,
  {
    accountId,
    tenantId,
    at,
    idempotencyKey = null,
    keyId = null,
    areWorkersSilent = false,
  }: Given & { accountId: string; tenantId: string; idempotencyKey?: string | null },
): Promise<Withdrawal> {
  const submit = createSubmittingFromWallet({
    ...{ db, clock: manualClock(at), networks: NETWORKS },
    areWorkersSilent: async () => areWorkersSilent,
    limits: { perTransaction: NO_LIMIT, perMerchantDay: NO_LIMIT, perDay: NO_LIMIT },
  })
  const { withdrawal } = await submit({
    ...{ accountId, tenantId, idempotencyKey, siteFeeBps: 0, keyId },
    ...{ chain: CHAIN, token: 'NATIVE', destination: DESTINATION, amountCents: cents(1_234n) },
  })
  return withdrawal
}

/** Base units, as a deposit into custody is booked. */
export async function givenCustody(
  db: Db,
  merchantId: string,
  { units, at }: { readonly units: bigint; readonly at: Date },
): Promise<void> {
  const funding = {
    ...{ key: `transfer:${newId()}`, reason: 'deposit', refId: null, chain: CHAIN, token: TOKEN },
    debit: 'deposit_address',
    credit: { role: 'merchant', ownerId: merchantId },
    units: baseUnits(units),
  } as const
  await db.transaction((tx) => post(tx, [funding], at))
}

/** With a callback that could be asked, and is not asked here. */
export const submittingDeps = (
  db: Db,
  at: Date,
  {
    areWorkersSilent = false,
    isCallbackSet = true,
    networks = NETWORKS,
  }: {
    readonly areWorkersSilent?: boolean
    readonly isCallbackSet?: boolean
    readonly networks?: PayoutNetworks
  } = {},
): SubmittingDeps & { readonly clock: ManualClock } => ({
  ...{ db, clock: manualClock(at), networks },
  areWorkersSilent: async () => areWorkersSilent,
  callback: {
    isUsable: async () => isCallbackSet,
    findUrl: () => assert.fail('nothing is posted'),
    post: () => assert.fail('nothing is posted'),
    test: () => assert.fail('nothing is posted'),
  },
})

/** Of 12.34 dollars and a fee of 0.10, from the custody of a merchant, which gets one ether first. */
export async function givenWithdrawal(
  db: Db,
  {
    merchantId,
    externalId,
    at,
    keyId = null,
    areWorkersSilent = false,
  }: Given & { merchantId: string; externalId: string },
): Promise<Withdrawal> {
  await givenCustody(db, merchantId, { units: 10n ** 18n, at })
  const submit = createSubmitting(submittingDeps(db, at, { areWorkersSilent }))
  return submit({ merchantId, externalId, forUser: null, keyId, ...PAYMENT })
}
