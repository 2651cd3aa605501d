// The merchant moves money: to a sub-user, back from it, and from its earnings to its spot wallet.
import { merchantRoutes } from '@tradepost/contract'
import { type Rate, refuseBeyondLimit, refuseOldConversion } from '#fx'
import { countSpends, getSubUser, hasSpendLimit, keepAccount, lockLimitOf } from '#identity'
import type { Db, Tx } from '#infra/database/db'
import type { Clock } from '#infra/process/clock'
import { assertDefined } from '#kernel/assert'
import { type Cents, cents, parseAmount } from '#kernel/money'
import {
  type Funding,
  findFunding,
  fund,
  lockWallets,
  type Transferred,
  transferEarnings,
} from '#ledger'
import { convertHalfUp, convertTransfer } from '#pricing'
import { transferView } from '#wire/merchant/wallet'
import { refuseField } from '../../shared/failure.ts'
import type { Caller } from '../../shared/principal.ts'
import { type MerchantOperations, operation } from '../operation.ts'

export interface FundDeps {
  readonly db: Db
  readonly clock: Clock
  /** Refuses SERVICE_DISABLED when no rate is fresh enough. */
  currentRate(): Promise<Rate>
  readonly conversions: ConversionTerms
}

/** How money is converted between the wallets of a merchant and a sub-user. */
export interface ConversionTerms {
  readonly spreadBps: number
  /** US cents; a conversion that brings the exchange accounts beyond it is refused. */
  readonly exposureLimit: Cents
  /** Of the limit: as much as the conversions of one merchant may take. */
  readonly exposureSharePercent: number
}

export function createFundOperations(
  deps: FundDeps,
): Pick<MerchantOperations, 'fundSubUser' | 'defundSubUser' | 'transferEarnings'> {
  const { db, clock } = deps
  return {
    fundSubUser: operation(
      merchantRoutes.fundSubUser,
      async ({ caller, params, body, idempotencyKey }) =>
        transferView(
          await move(deps, caller, params.id, {
            direction: 'fund',
            amount: amountOf(body),
            idempotencyKey,
          }),
        ),
    ),

    defundSubUser: operation(
      merchantRoutes.defundSubUser,
      async ({ caller, params, body, idempotencyKey }) =>
        transferView(
          await move(deps, caller, params.id, {
            direction: 'defund',
            amount: amountOf(body),
            idempotencyKey,
          }),
        ),
    ),

    transferEarnings: operation(
      merchantRoutes.transferEarnings,
      async ({ caller, body, idempotencyKey }) => {
        const { tenant: merchant } = caller
        const amount = amountOf(body)
        return transferView(
          await db.transaction((tx) =>
            transferEarnings(tx, { merchant, amount, idempotencyKey, at: clock.now() }),
          ),
        )
      },
    ),
  }
}

type Transfer = Pick<Funding, 'direction' | 'amount' | 'idempotencyKey'>

async function move(
  deps: FundDeps,
  { tenant: merchant, keyId }: Pick<Caller, 'tenant' | 'keyId'>,
  reference: string,
  transfer: Transfer,
): Promise<Transferred> {
  const { db } = deps
  const subUser = await getSubUser(db, merchant.id, reference)
  const funding = { ...transfer, merchant, subUser, keyId }
  if (subUser.currency !== merchant.currency) return moveBetweenCurrencies(deps, funding)
  const usdPerEurMicros = await rateOfLimit(deps, funding)
  return db.transaction(async (tx) => {
    await keepAccount(tx, subUser.id)
    const at = deps.clock.now()
    const moved = await fund(tx, { ...funding, subUserAmount: transfer.amount, at })
    await countFunding(tx, funding, moved, { usdPerEurMicros, at })
    return moved
  })
}

/** What a funding in euros counts by; null for a replay and without a limit, which need no rate of today. */
async function rateOfLimit(
  { db, currentRate }: FundDeps,
  funding: KeyFunding,
): Promise<bigint | null> {
  const { direction, merchant, keyId } = funding
  if (direction !== 'fund' || merchant.currency === 'USD') return null
  if (!(await hasSpendLimit(db, keyId)) || (await findFunding(db, funding)) !== null) return null
  return (await currentRate()).usdPerEurMicros
}

/** What a key funds counts under its limit, in US dollars at the rate of the moment. */
async function countFunding(
  tx: Tx,
  { direction, merchant: { currency }, amount, keyId }: KeyFunding,
  { transactionId: refId, replayed }: Transferred,
  { usdPerEurMicros, at }: { readonly usdPerEurMicros: bigint | null; readonly at: Date },
): Promise<void> {
  if (replayed || direction !== 'fund') return
  if (currency === 'USD') return countSpends(tx, [{ keyId, refId, cents: amount }], at)
  if (usdPerEurMicros === null) return
  const inUsd = convertHalfUp(amount, { from: currency, to: 'USD', usdPerEurMicros })
  await countSpends(tx, [{ keyId, refId, cents: inUsd }], at)
}

type KeyFunding = Omit<Funding, 'subUserAmount' | 'at'> & { readonly keyId: string }

async function moveBetweenCurrencies(
  { db, clock, currentRate, conversions }: FundDeps,
  funding: KeyFunding,
): Promise<Transferred> {
  // Looked for first: the answer to a replay needs no rate of today.
  const replay = await findFunding(db, funding)
  if (replay) return replay
  const { merchant, subUser, amount, direction } = funding
  const rate = await currentRate()
  refuseOldConversion(rate, clock.now())
  const { usdPerEurMicros } = rate
  const currencies = { merchant: merchant.currency, subUser: subUser.currency }
  const terms = { direction, ...currencies, usdPerEurMicros, spreadBps: conversions.spreadBps }
  const subUserAmount = convertTransfer(amount, terms)
  if (subUserAmount === 0n) refuseAmount('is nothing in the sub-user’s currency')
  const sides = [
    { currency: merchant.currency, amount },
    { currency: subUser.currency, amount: subUserAmount },
  ] as const
  const [from, to] = direction === 'fund' ? sides : ([sides[1], sides[0]] as const)
  return db.transaction(async (tx) => {
    await keepAccount(tx, subUser.id)
    if (direction === 'fund') {
      // Ahead of the exchange accounts, for which other tenants would wait as long as this key's limit is
      // held.
      await lockWallets(tx, [merchant.id, subUser.id])
      await lockLimitOf(tx, funding.keyId)
    }
    const moved = await fund(tx, { ...funding, subUserAmount, at: clock.now() })
    if (!moved.replayed) {
      const { exposureLimit: limit, exposureSharePercent } = conversions
      const tenantLimit = cents((limit * BigInt(exposureSharePercent)) / 100n)
      const transfer = { tenantId: merchant.id, from, to, usdPerEurMicros }
      await refuseBeyondLimit(tx, { ...transfer, limit, tenantLimit })
    }
    await countFunding(tx, funding, moved, { usdPerEurMicros, at: clock.now() })
    return moved
  })
}

function amountOf(body: { readonly amount: string }): Cents {
  const amount = assertDefined(parseAmount(body.amount), 'an amount of the contract’s form')
  return amount > 0n ? amount : refuseAmount('must be more than zero')
}

const refuseAmount = (message: string): never =>
  refuseField({ in: 'body', pointer: '/amount', rule: 'minimum', message })
