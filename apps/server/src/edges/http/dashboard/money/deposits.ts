// Deposits of the session's account and of its users; it pays in for itself.
import { CRYPTO_NATIVE_TOKENS, type CryptoEvmChain, dashboardRoutes } from '@tradepost/contract'
import { recordAct } from '#audit'
import {
  type CancelDeposit,
  type DepositContext,
  type Depositor,
  findProviderOrder,
  findTenantDeposit,
  type GatewayDeposits,
  leastOf,
  listHeldOf,
  listTenantDeposits,
  type OnrampDeposits,
  readDepositEntries,
} from '#deposits'
import { findAccount, readExternalIds } from '#identity'
import type { Db } from '#infra/database/db'
import { assertDefined } from '#kernel/assert'
import { type Cents, parseAmount } from '#kernel/money'
import { refuse } from '#kernel/refusal'
import { requireRight } from '#operations'
import { readCustodyDeposits } from '#payouts'
import {
  custodyDepositDetailView,
  dashboardDepositView,
  depositDetailView,
} from '#wire/dashboard/money'
import { onrampOpenedView, onrampQuoteView, openedView, quoteView } from '#wire/merchant/deposit'
import { moneyNumber } from '#wire/money'
import { inDollars } from '../../shared/in-dollars.ts'
import type { AuditedAct } from '../audited.ts'
import { type DashboardOperations, type LoggedIn, operation } from '../operation.ts'
import { readChildEmails } from '../partner/child-emails.ts'

export interface DashboardDepositsDeps {
  readonly db: Db
  readonly gateway: GatewayDeposits
  readonly onramp: OnrampDeposits
  readonly cancelDeposit: CancelDeposit
  readonly isCardOn: boolean
  /** The address of an account's wallet; null while chain deposits are switched off. */
  readonly addressFor: ((accountId: string) => Promise<string>) | null
  /** Those on which a payment to an address is seen now. */
  readonly listChains: () => Promise<CryptoEvmChain[]>
  readonly currentRate: () => Promise<bigint>
}

type DepositOperations = Pick<
  DashboardOperations,
  | 'listOwnDeposits'
  | 'getDepositWays'
  | 'getOwnDeposit'
  | 'cancelOwnDeposit'
  | 'quoteOwnDeposit'
  | 'createOwnDeposit'
  | 'quoteOwnCard'
  | 'createOwnCard'
  | 'getOwnAddress'
>

const amountOf = (text: string): Cents => assertDefined(parseAmount(text), 'a checked amount')
const dateOf = (text: string | undefined): Date | null =>
  text === undefined ? null : new Date(text)

export const createDashboardDeposits = (deps: DashboardDepositsDeps): DepositOperations => ({
  ...recordOperations(deps),
  ...payInOperations(deps),
})

/** Of the account's wallets, or into its payout custody. Another account's deposit is not found. */
async function readDetail(db: Db, caller: LoggedIn, id: string) {
  const [custody] = await readCustodyDeposits(db, [id])
  if (custody !== undefined) {
    if (custody.merchantId !== caller.account.id) return refuse('DEPOSIT_NOT_FOUND')
    const { userId } = custody
    const names = await readExternalIds(db, userId === null ? [] : [userId])
    return custodyDepositDetailView(custody, names.get(userId ?? '') ?? null)
  }
  const deposit = await findOwn(db, caller, id)
  const [entries, held, order] = await Promise.all([
    readDepositEntries(db, deposit.id),
    listHeldOf(db, deposit.id),
    findProviderOrder(db, deposit.id),
  ])
  return depositDetailView({ deposit, entries, held, details: order?.details ?? {} })
}

/** Another account's deposit is not found. */
async function findOwn(db: Db, { account }: LoggedIn, id: string) {
  return (await findTenantDeposit(db, account.id, id)) ?? refuse('DEPOSIT_NOT_FOUND')
}

/** What the person does is in the audit log, in the commit of the deposit. */
const recorded = (
  { actor, requestId }: LoggedIn,
  act: 'deposit.create' | 'deposit.cancel',
  details: AuditedAct['details'],
): DepositContext => ({
  requestId,
  record: async (tx, id, at) => {
    await requireRight(tx, actor)
    await recordAct(tx, { actor, act, subject: { type: 'deposit', id }, details, at })
  },
})

const recordOperations = ({
  db,
  cancelDeposit,
}: DashboardDepositsDeps): Pick<
  DepositOperations,
  'listOwnDeposits' | 'getOwnDeposit' | 'cancelOwnDeposit'
> => ({
  listOwnDeposits: operation(dashboardRoutes.listOwnDeposits, async ({ caller, query }) => {
    const { items, nextCursor } = await listTenantDeposits(db, caller.account.id, {
      ...{ accountId: query.userId ?? null, status: query.status ?? null },
      ...{ method: query.method ?? null, from: dateOf(query.from), to: dateOf(query.to) },
      ...{ cursor: query.cursor ?? null, limit: query.limit },
    })
    const owners = items.map(({ accountId }) => accountId)
    const emails = await readChildEmails(db, caller.account, owners)
    const shown = items.map((deposit) => ({
      ...dashboardDepositView(deposit),
      userEmail: emails.get(deposit.accountId) ?? null,
    }))
    return { items: shown, nextCursor }
  }),

  getOwnDeposit: operation(dashboardRoutes.getOwnDeposit, ({ caller, params }) =>
    readDetail(db, caller, params.id),
  ),

  cancelOwnDeposit: operation(dashboardRoutes.cancelOwnDeposit, async ({ caller, params }) => {
    const { accountId } = await findOwn(db, caller, params.id)
    const context = recorded(caller, 'deposit.cancel', {})
    const { id, status } = await cancelDeposit(accountId, params.id, context)
    return { depositId: id, status }
  }),
})

function payInOperations({
  db,
  gateway,
  onramp,
  isCardOn,
  addressFor,
  listChains,
  currentRate,
}: DashboardDepositsDeps): Omit<
  DepositOperations,
  'listOwnDeposits' | 'getOwnDeposit' | 'cancelOwnDeposit'
> {
  const depositorOf = async ({ account: { id } }: LoggedIn): Promise<Depositor> => {
    const account = assertDefined(await findAccount(db, id), 'the account of a session')
    return { accountId: id, tenantId: id, currency: account.currency }
  }
  return {
    getDepositWays: operation(dashboardRoutes.getDepositWays, async ({ caller }) => {
      const offered = await gateway.listCurrencies({ requestId: caller.requestId })
      return {
        gateway: offered.flatMap((one) =>
          one.currency === 'POL'
            ? []
            : {
                currency: one.currency,
                chains: one.chains.map(({ chain }) => chain),
                minDepositUsd: moneyNumber(leastOf(one)),
              },
        ),
        isCardOn,
        isChainOn: addressFor !== null,
      }
    }),

    quoteOwnDeposit: operation(dashboardRoutes.quoteOwnDeposit, async ({ caller, body }) => {
      const request = { usd: amountOf(body.amount), currency: body.currency ?? 'USDT' }
      return quoteView(await gateway.quote(await depositorOf(caller), request, caller))
    }),

    createOwnDeposit: operation(dashboardRoutes.createOwnDeposit, async ({ caller, body }) => {
      const context = recorded(caller, 'deposit.create', { method: 'gateway', chain: body.chain })
      return openedView(await gateway.create(await depositorOf(caller), body, context))
    }),

    quoteOwnCard: operation(dashboardRoutes.quoteOwnCard, async ({ caller, body }) => {
      const depositor = await depositorOf(caller)
      const { payAmount, receiveAmount = '', payCurrency, countryCode = null } = body
      const amount =
        payAmount === undefined
          ? {
              receiveUsd: await inDollars(amountOf(receiveAmount), depositor.currency, currentRate),
            }
          : { pay: amountOf(payAmount) }
      const request = { amount, payCurrency, countryCode, coin: null }
      return onrampQuoteView(await onramp.quote(depositor, request, caller))
    }),

    createOwnCard: operation(dashboardRoutes.createOwnCard, async ({ caller, body }) => {
      const { quoteToken, redirectUrl = null } = body
      const request = { quoteToken, redirectUrl, paymentMethod: 'instant' } as const
      const context = recorded(caller, 'deposit.create', { method: 'onramp' })
      return onrampOpenedView(await onramp.create(await depositorOf(caller), request, context))
    }),

    getOwnAddress: operation(dashboardRoutes.getOwnAddress, async ({ caller }) => {
      if (addressFor === null) return refuse('GATEWAY_UNAVAILABLE', { reason: 'switched_off' })
      const [address, chains] = await Promise.all([addressFor(caller.account.id), listChains()])
      return { address, chains, tokens: [...CRYPTO_NATIVE_TOKENS] }
    }),
  }
}
