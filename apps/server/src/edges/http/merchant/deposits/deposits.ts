// Money into the acting account's wallet: gateway, card, chain address, and the record of each deposit.
import { CRYPTO_NATIVE_TOKENS, type CryptoEvmChain, merchantRoutes } from '@tradepost/contract'
import {
  type CancelDeposit,
  findDepositOf,
  type GatewayDeposits,
  listDeposits,
  type OnrampDeposits,
} from '#deposits'
import type { Db } from '#infra/database/db'
import { assertDefined } from '#kernel/assert'
import { type Cents, parseAmount } from '#kernel/money'
import { refuse } from '#kernel/refusal'
import {
  chainsView,
  depositView,
  onrampOpenedView,
  onrampQuoteView,
  openedView,
  quoteView,
} from '#wire/merchant/deposit'
import { inDollars } from '../../shared/in-dollars.ts'
import { type Caller, type MerchantOperations, operation } from '../operation.ts'

/** The account's own address on all chains; made at the first call. */
export type AddressFor = (accountId: string) => Promise<string>

export interface DepositsDeps {
  readonly db: Db
  readonly gateway: GatewayDeposits
  readonly onramp: OnrampDeposits
  readonly cancelDeposit: CancelDeposit
  /** Null while chain deposits are switched off. */
  readonly addressFor: AddressFor | null
  /** Those on which a payment to an address is seen now. */
  readonly listChains: () => Promise<CryptoEvmChain[]>
  readonly currentRate: () => Promise<bigint>
}

const depositorOf = ({ account }: Caller) => ({
  accountId: account.id,
  tenantId: account.tenantId,
  currency: account.currency,
})

const contextOf = ({ requestId }: Caller) => ({ requestId })

const amountOf = (text: string): Cents => assertDefined(parseAmount(text), 'a checked amount')

const CREATES = { refusesSuspended: true } as const

type DepositOperations = Pick<
  MerchantOperations,
  | 'listDepositChains'
  | 'quoteDeposit'
  | 'createDeposit'
  | 'quoteOnramp'
  | 'createOnramp'
  | 'getCryptoAddress'
  | 'listDeposits'
  | 'getDeposit'
  | 'cancelDeposit'
>

export const createDepositOperations = (deps: DepositsDeps): DepositOperations => ({
  ...gatewayOperations(deps),
  ...onrampOperations(deps),
  ...recordOperations(deps),

  getCryptoAddress: operation(merchantRoutes.getCryptoAddress, async ({ caller }) => {
    const { addressFor, listChains } = deps
    if (addressFor === null) return refuse('GATEWAY_UNAVAILABLE', { reason: 'switched_off' })
    const [address, chains] = await Promise.all([addressFor(caller.account.id), listChains()])
    return { address, chains, tokens: [...CRYPTO_NATIVE_TOKENS] }
  }),
})

const gatewayOperations = ({
  gateway,
}: DepositsDeps): Pick<
  DepositOperations,
  'listDepositChains' | 'quoteDeposit' | 'createDeposit'
> => ({
  listDepositChains: operation(merchantRoutes.listDepositChains, async ({ caller }) =>
    chainsView(await gateway.listCurrencies(contextOf(caller))),
  ),

  quoteDeposit: operation(
    merchantRoutes.quoteDeposit,
    async ({ caller, body }) => {
      const request = { usd: amountOf(body.amount), currency: body.currency ?? 'USDT' }
      return quoteView(await gateway.quote(depositorOf(caller), request, contextOf(caller)))
    },
    CREATES,
  ),

  createDeposit: operation(
    merchantRoutes.createDeposit,
    async ({ caller, body }) =>
      openedView(await gateway.create(depositorOf(caller), body, contextOf(caller))),
    CREATES,
  ),
})

const onrampOperations = ({
  onramp,
  currentRate,
}: DepositsDeps): Pick<DepositOperations, 'quoteOnramp' | 'createOnramp'> => ({
  quoteOnramp: operation(
    merchantRoutes.quoteOnramp,
    async ({ caller, body }) => {
      const { payAmount, receiveAmount, payCurrency, countryCode = null } = body
      const amount =
        payAmount === undefined
          ? {
              receiveUsd: await inDollars(
                amountOf(receiveAmount ?? ''),
                caller.account.currency,
                currentRate,
              ),
            }
          : { pay: amountOf(payAmount) }
      const request = { amount, payCurrency, countryCode, coin: null }
      return onrampQuoteView(await onramp.quote(depositorOf(caller), request, contextOf(caller)))
    },
    CREATES,
  ),

  createOnramp: operation(
    merchantRoutes.createOnramp,
    async ({ caller, body: { quoteToken, redirectUrl = null } }) => {
      const request = { quoteToken, redirectUrl, paymentMethod: 'instant' } as const
      return onrampOpenedView(await onramp.create(depositorOf(caller), request, contextOf(caller)))
    },
    CREATES,
  ),
})

const recordOperations = ({
  db,
  cancelDeposit,
}: DepositsDeps): Pick<DepositOperations, 'listDeposits' | 'getDeposit' | 'cancelDeposit'> => ({
  listDeposits: operation(merchantRoutes.listDeposits, async ({ caller, query }) => {
    const slice = { cursor: query.cursor ?? null, limit: query.limit }
    const { items, nextCursor } = await listDeposits(db, caller.account.id, slice)
    return { items: items.map(depositView), nextCursor }
  }),

  getDeposit: operation(merchantRoutes.getDeposit, async ({ caller, params }) => {
    const deposit = await findDepositOf(db, caller.account.id, params.id)
    return deposit === null ? refuse('DEPOSIT_NOT_FOUND') : depositView(deposit)
  }),

  cancelDeposit: operation(merchantRoutes.cancelDeposit, async ({ caller, params }) => {
    const { id, status } = await cancelDeposit(caller.account.id, params.id, contextOf(caller))
    return { depositId: id, status }
  }),
})
