// The merchant moves money: to a sub-user, back from it, and from its earnings to its spot wallet.
import { merchantRoutes } from '@tradepost/contract'
import type { Rate } from '#fx'
import { getSubUser, keepSubUser, type SubUser } from '#identity'
import type { Clock } from '#infra/clock'
import type { Db } from '#infra/db'
import { assertDefined } from '#kernel/assert'
import { type Cents, parseAmount } from '#kernel/money'
import { type Funding, findFunding, fund, type Transferred, transferEarnings } from '#ledger'
import { convertRoundedDown, convertRoundedUp } from '#pricing'
import { transferView } from '#wire/merchant/wallet'
import { refuseField } from '../../shared/failure.ts'
import { type MerchantCaller, type Operation, operation } from '../../shared/operation.ts'

export interface FundDeps {
  readonly db: Db
  readonly clock: Clock
  /** Refuses SERVICE_DISABLED when no rate is fresh enough. */
  currentRate(): Promise<Rate>
}

export function createFundOperations(deps: FundDeps): Operation[] {
  const { db, clock } = deps
  return [
    operation(merchantRoutes.fundSubUser, async ({ caller, params, body, idempotencyKey }) =>
      transferView(
        await move(deps, caller.merchant, params.id, {
          direction: 'fund',
          amount: amountOf(body),
          idempotencyKey,
        }),
      ),
    ),

    operation(merchantRoutes.defundSubUser, async ({ caller, params, body, idempotencyKey }) =>
      transferView(
        await move(deps, caller.merchant, params.id, {
          direction: 'defund',
          amount: amountOf(body),
          idempotencyKey,
        }),
      ),
    ),

    operation(merchantRoutes.transferEarnings, async ({ caller, body, idempotencyKey }) => {
      const { merchant } = caller
      const amount = amountOf(body)
      return transferView(
        await db.transaction((tx) =>
          transferEarnings(tx, { merchant, amount, idempotencyKey, at: clock.now() }),
        ),
      )
    }),
  ]
}

type Wish = Pick<Funding, 'direction' | 'amount' | 'idempotencyKey'>

async function move(
  deps: FundDeps,
  merchant: MerchantCaller,
  reference: string,
  wish: Wish,
): Promise<Transferred> {
  const { db, clock } = deps
  const subUser = await getSubUser(db, merchant.id, reference)
  // With an exchange rate in it a replay is looked for first: its answer needs no rate of today.
  const replay =
    subUser.currency === merchant.currency
      ? null
      : await findFunding(db, { ...wish, merchant, subUser })
  if (replay) return replay
  const subUserAmount = await convert(deps, merchant, subUser, wish)
  return db.transaction(async (tx) => {
    await keepSubUser(tx, subUser.id)
    return fund(tx, { ...wish, merchant, subUser, subUserAmount, at: clock.now() })
  })
}

/** Rounding never gives money away: a fund pays out less, a defund takes in more. */
async function convert(
  { currentRate }: FundDeps,
  merchant: MerchantCaller,
  subUser: SubUser,
  { direction, amount }: Wish,
): Promise<Cents> {
  if (subUser.currency === merchant.currency) return amount
  const { usdPerEurMicros } = await currentRate()
  const conversion = { from: merchant.currency, to: subUser.currency, usdPerEurMicros }
  const converted =
    direction === 'fund'
      ? convertRoundedDown(amount, conversion)
      : convertRoundedUp(amount, conversion)
  return converted > 0n ? converted : refuseAmount('is nothing in the sub-user’s currency')
}

function amountOf(body: { readonly amount: string }): Cents {
  const amount = assertDefined(parseAmount(body.amount), 'an amount of the contract’s form')
  return amount > 0n ? amount : refuseAmount('must be more than zero')
}

const refuseAmount = (message: string): never =>
  refuseField({ in: 'body', pointer: '/amount', rule: 'minimum', message })
