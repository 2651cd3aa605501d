// The payment gateway: Gate Pay's address payments. Its protocol is described in README.md.
import { createKeyedMemo } from '#infra/process/memo'
import { formatDecimal, ONE_TOKEN, parseDecimal } from '#kernel/decimal'
import { type Cents, cents } from '#kernel/money'
import type {
  CallContext,
  CreateAnswer,
  DepositCurrency,
  GatewayChain,
  GatewayCurrency,
  GatewayRate,
  GuardedContext,
  NewGatewayOrder,
  OrderRefusal,
  PaymentGateway,
  PlacedGatewayOrder,
  Read,
} from '#ports/deposits'
import { BREAKER_DEFAULTS } from '../shared/breaker.ts'
import {
  type DepositCallsDeps,
  type DepositProviderTiming,
  unavailable,
} from '../shared/deposit-calls.ts'
import { toProviderId } from '../shared/deposit-ids.ts'
import { type Fields, fieldsOf, listOf, own, textOf } from '../shared/reader.ts'
import { positiveOf, roundedDown, TOKEN_DIGITS } from './amounts.ts'
import { type CallGateway, createGatewayCalls, type GatewayAccount, unreadable } from './calls.ts'
import { createDrill, type GatewayDrill } from './drill.ts'
import { findOrder } from './find-order.ts'
import { readNotice } from './notice.ts'
import { CURRENCIES, isStable } from './order.ts'
import { readStatement } from './statement.ts'

export type { GatewayDrill } from './drill.ts'

export interface GatewaySettings extends GatewayAccount {
  /** What the provider keeps of each payment; no call says it. */
  readonly feeBps: number
  readonly timing: Partial<GatewayTiming>
}

interface GatewayTiming extends DepositProviderTiming {
  /** How long chains and minimums are kept. */
  readonly chainsFreshMs: number
}

const TIMING: GatewayTiming = {
  deadlineMs: 10_000,
  lookUpSettleMs: 60_000,
  absentLookUps: 2,
  chainsFreshMs: 300_000,
  breaker: BREAKER_DEFAULTS,
}

export function createGateway(
  { feeBps, timing: given, ...account }: GatewaySettings,
  deps: Omit<DepositCallsDeps, 'breaker'>,
): PaymentGateway & { readonly drill: GatewayDrill } {
  const timing = { ...TIMING, ...given }
  const { breaker, deadlineMs } = timing
  const call = createGatewayCalls(account, { ...deps, breaker, deadlineMs })
  const currencies = createKeyedMemo<Read<readonly GatewayCurrency[]>>({
    max: 1,
    clock: deps.clock,
    freshMs: timing.chainsFreshMs,
    isKept: ({ kind }) => kind === 'read',
  })
  const listCurrencies = (context: CallContext) =>
    currencies('all', () => readCurrencies(call, context))

  const gateway: PaymentGateway = {
    traits: {
      lookUpSettleMs: timing.lookUpSettleMs,
      absentLookUps: timing.absentLookUps,
      noticeReceipt: { returnCode: 'SUCCESS', returnMessage: '' },
    },
    listCurrencies,
    quote: (request, context) => quote(request.currency, { call, feeBps, context }),
    async createOrder(order, context) {
      const known = await listCurrencies(context)
      if (known.kind === 'unavailable') return { kind: 'not-sent', detail: known.detail }
      const { chains } = known.value.find(({ currency }) => currency === order.currency) ?? {}
      const chain = chains?.find((one) => one.chain === order.chain)
      if (chain === undefined) {
        const detail = `${order.currency} is not paid on ${order.chain}`
        return { kind: 'refused', because: 'chain_unsupported', detail }
      }
      return createOrder(order, { call, chain, context })
    },
    findOrder: (key, context) => findOrder(key, { call, context }),
    async closeOrder(orderId, context) {
      const body = { merchantTradeNo: toProviderId(orderId) }
      const path = '/v1/pay/order/close'
      await call({ operation: 'close order', path, body, creates: true }, context)
    },
    readStatement: (window, context) => readStatement(window, call, context),
    readNotice: (headers, rawBody, now) => readNotice(account.secret, headers, { rawBody, now }),
  }
  return { ...gateway, drill: createDrill({ call, gateway, clock: deps.clock }) }
}

/** All that can be paid with, in about twenty calls: each currency has its chains and its minimum. */
async function readCurrencies(
  call: CallGateway,
  context: CallContext,
): Promise<Read<readonly GatewayCurrency[]>> {
  const path = '/v1/pay/address/currencies'
  const answer = await call({ operation: 'list currencies', path }, context)
  if (answer.kind !== 'success') return unreadable(answer)
  const offered = listOf(own(fieldsOf(answer.data) ?? {}, 'currencies')) ?? []
  const wanted = CURRENCIES.filter((currency) => offered.includes(currency))
  if (wanted.length === 0) return unavailable('no currency of ours is offered')
  const reads = await Promise.all(
    wanted.map((currency) => readCurrency(currency, { call, context })),
  )
  const failed = reads.find(({ kind }) => kind === 'unavailable')
  if (failed?.kind === 'unavailable') return failed
  return {
    kind: 'read',
    value: reads.flatMap((read) => (read.kind === 'read' ? [read.value] : [])),
  }
}

interface Tools {
  readonly call: CallGateway
  readonly context: CallContext
}

async function readCurrency(
  currency: DepositCurrency,
  { call, context }: Tools,
): Promise<Read<GatewayCurrency>> {
  const query = { currency }
  const [chains, pair, rate] = await Promise.all([
    call({ operation: 'list chains', path: '/v1/pay/address/chains', query }, context),
    call(
      {
        operation: 'read minimum',
        path: '/v1/pay/convert/pair',
        query: { side: 'sell', currency },
      },
      context,
    ),
    rateOf(currency, { call, context }),
  ])
  if (chains.kind !== 'success') return unreadable(chains)
  if (rate.kind !== 'read') return rate
  const found = (listOf(own(fieldsOf(chains.data) ?? {}, 'chains')) ?? []).flatMap(readChain)
  if (found.length === 0) return unavailable(`no chain of ${currency} is readable`)
  return {
    kind: 'read',
    value: {
      currency,
      chains: found,
      isStable: isStable(currency),
      minDeposit: pair.kind === 'success' ? minimumOf(pair.data, rate.value) : null,
    },
  }
}

function readChain(item: unknown): GatewayChain[] {
  const fields = fieldsOf(item) ?? {}
  const text = (name: string): string | null => textOf(own(fields, name))
  const chain = text('chain')
  const fullCurrType = text('full_curr_type')
  if (chain === null || fullCurrType === null) return []
  const displayName = text('show_chain_name_en') ?? chain
  return [{ chain, displayName, explorerUrl: text('explorer_url'), fullCurrType }]
}

/** The smallest amount of tokens in cents, rounded up; null where none is named. */
function minimumOf(data: unknown, usdPerToken: bigint): Cents | null {
  const [pair] = listOf(data) ?? []
  const least = positiveOf(own(fieldsOf(pair) ?? {}, 'sellCurrencyMin'))
  if (least === null) return null
  const unit = ONE_TOKEN * ONE_TOKEN
  return cents((least * usdPerToken * 100n + unit - 1n) / unit)
}

/** A stable coin is worth one dollar while its price is less than one percent away from it. */
const PEG_PERCENT = 1n

async function quote(
  currency: DepositCurrency,
  { call, feeBps, context }: Tools & { readonly feeBps: number },
): Promise<Read<GatewayRate>> {
  const rate = await rateOf(currency, { call, context })
  if (rate.kind !== 'read') return rate
  const value = { usdPerTokenE18: rate.value, tokenDigits: TOKEN_DIGITS, feeBps }
  return { kind: 'read', value }
}

/** USDT for one token, 10^-18. USDT itself has no rate; the call shows that the provider serves it. */
async function rateOf(currency: DepositCurrency, { call, context }: Tools): Promise<Read<bigint>> {
  if (currency === 'USDT') {
    const path = '/v1/pay/address/chains'
    const answer = await call({ operation: 'list chains', path, query: { currency } }, context)
    return answer.kind === 'success' ? { kind: 'read', value: ONE_TOKEN } : unreadable(answer)
  }
  const answer = await preview(currency, '1', { call, context })
  if (answer.kind !== 'success') return unreadable(answer)
  const rate = positiveOf(own(answer.fields, 'rate'))
  if (rate === null) return unavailable('the rate is unreadable')
  if (!isStable(currency)) return { kind: 'read', value: rate }
  const away = rate > ONE_TOKEN ? rate - ONE_TOKEN : ONE_TOKEN - rate
  if (away * 100n >= ONE_TOKEN * PEG_PERCENT) return unavailable(`${currency} has lost its peg`)
  return { kind: 'read', value: ONE_TOKEN }
}

async function preview(currency: DepositCurrency, sellAmount: string, { call, context }: Tools) {
  const body = { buyCurrency: 'USDT', sellCurrency: currency, sellAmount }
  const path = '/v1/pay/convert/preview'
  const answer = await call({ operation: 'preview conversion', path, body }, context)
  if (answer.kind !== 'success') return answer
  return { kind: 'success', fields: fieldsOf(answer.data) ?? ({} as Fields) } as const
}

/** The provider's refusals of a create that are certain; any other code leaves its fate unknown. */
const REFUSALS: Readonly<Record<string, OrderRefusal>> = {
  '400001': 'rejected',
  '400002': 'rejected',
  '400003': 'rejected',
  '400007': 'rejected',
  '400020': 'rejected',
  '400621': 'amount_out_of_range',
  // The price has moved since the preview.
  '400622': 'rejected',
  '400627': 'chain_unsupported',
}

async function createOrder(
  order: NewGatewayOrder,
  {
    call,
    chain,
    context,
  }: {
    readonly call: CallGateway
    readonly chain: GatewayChain
    readonly context: GuardedContext
  },
): Promise<CreateAnswer<PlacedGatewayOrder>> {
  const terms = await termsOf(order, { call, context })
  if ('kind' in terms) return terms
  const body = {
    merchantTradeNo: toProviderId(order.orderId),
    ...terms,
    env: { terminalType: 'WEB' },
    goods: { goodsName: 'Wallet deposit', goodsDetail: 'Wallet deposit' },
    orderExpireTime: order.expiresAt.getTime(),
    merchantUserId: 1,
    chain: order.chain,
    fullCurrType: chain.fullCurrType,
  }
  const path = '/v1/pay/address/create'
  const { guard } = context
  const answer = await call(
    { operation: 'create order', path, body, creates: true, guard },
    context,
  )
  if (answer.kind === 'not-sent') return { kind: 'not-sent', detail: answer.detail }
  if (answer.kind === 'unknown') return { kind: 'unknown', detail: answer.detail }
  if (answer.kind === 'refusal') {
    const because = Object.hasOwn(REFUSALS, answer.code) ? REFUSALS[answer.code] : undefined
    return because === undefined
      ? { kind: 'unknown', detail: answer.detail }
      : { kind: 'refused', because, detail: answer.detail }
  }
  const created = readCreated(answer.data, order, chain)
  if (typeof created !== 'string') return placed(created, order)
  // Of a converted order the create leaves the payer's amount out: nothing is shown before it is known.
  const found = await findOrder({ orderId: order.orderId }, { call, context })
  if (found.kind === 'unavailable') return { kind: 'unknown', detail: found.detail }
  if (found.value === 'absent') return { kind: 'unknown', detail: created }
  const isAsked = found.value.currency === order.currency && found.value.chain === order.chain
  if (!isAsked) return { kind: 'unknown', detail: 'the order is in another currency or chain' }
  const { fullCurrType } = chain
  const address = { ...found.value.address, fullCurrType }
  return placed({ ...found.value, address }, order)
}

type OrderTerms = { readonly currency: string; readonly orderAmount: string } & {
  readonly payCurrency?: string
}

/** A stable coin is ordered as it is; any other for what it is worth now, to be converted into USDT. */
async function termsOf(
  order: NewGatewayOrder,
  tools: Tools,
): Promise<OrderTerms | Extract<CreateAnswer<never>, { kind: 'not-sent' | 'refused' }>> {
  const { currency, payAmount } = order
  if (isStable(currency)) return { currency, orderAmount: payAmount }
  const answer = await preview(currency, payAmount, tools)
  if (answer.kind === 'refusal') {
    return { kind: 'refused', because: 'rejected', detail: answer.detail }
  }
  if (answer.kind !== 'success') return { kind: 'not-sent', detail: answer.detail }
  const value = positiveOf(own(answer.fields, 'buyAmount'))
  if (value === null) return { kind: 'not-sent', detail: 'the preview is unreadable' }
  return { currency: 'USDT', orderAmount: roundedDown(value), payCurrency: currency }
}

/** What the provider asks for may differ from what we computed by the move of a price in seconds. */
const MOST_MOVE_PERCENT = 5n

function placed(
  order: PlacedGatewayOrder,
  { payAmount }: NewGatewayOrder,
): CreateAnswer<PlacedGatewayOrder> {
  const wanted = parseDecimal(payAmount) ?? 0n
  const asked = parseDecimal(order.payAmount) ?? 0n
  const moved = asked > wanted ? asked - wanted : wanted - asked
  if (moved * 100n > wanted * MOST_MOVE_PERCENT) {
    const detail = `the gateway asks for ${order.payAmount} in place of ${payAmount}`
    return { kind: 'refused', because: 'rejected', detail }
  }
  return { kind: 'created', order }
}

/** A sentence: what the answer leaves out. */
function readCreated(
  data: unknown,
  { currency, payAmount, chain: chainName }: NewGatewayOrder,
  { fullCurrType }: GatewayChain,
): PlacedGatewayOrder | string {
  const fields = fieldsOf(data) ?? {}
  const place = fieldsOf(own(fields, 'chain')) ?? {}
  const prepayId = textOf(own(fields, 'prepayId'))
  const address = textOf(own(place, 'address'))
  const expiresMs = Number(textOf(own(fields, 'expireTime')) ?? Number.NaN)
  const named = positiveOf(own(fields, 'payAmount'))
  const converted = named === null ? null : formatDecimal(named)
  const asked = isStable(currency) ? payAmount : converted
  if (prepayId === null || address === null || asked === null) return 'the answer is not whole'
  if (!Number.isSafeInteger(expiresMs)) return 'the answer has no end'
  if (own(place, 'chain_type') !== chainName || own(place, 'fullCurrType') !== fullCurrType) {
    return 'the address is of another chain'
  }
  return {
    prepayId,
    payAmount: asked,
    address: { network: chainName, token: currency, fullCurrType, address },
    whitelabelUrl: textOf(own(fields, 'location')),
    qrContent: address,
    expiresAt: new Date(expiresMs),
  }
}
