// The card on-ramp: a provider like onramp.money. Its protocol is described in README.md.
import { createKeyedMemo } from '#infra/process/memo'
import type {
  CallContext,
  NoticeAnswer,
  NoticeHeaders,
  OnrampConfiguration,
  OnrampProvider,
  Read,
} from '#ports/deposits'
import { BREAKER_DEFAULTS } from '../shared/breaker.ts'
import {
  type DepositCallsDeps,
  type DepositProviderTiming,
  unavailable,
} from '../shared/deposit-calls.ts'
import { toDepositId, toProviderId } from '../shared/deposit-ids.ts'
import { headerOf, hmacSha512, isSameSignature } from '../shared/hmac.ts'
import { fieldsOf, own, parseJson, textOf } from '../shared/reader.ts'
import { type CallOnramp, createOnrampCalls, type OnrampAccount } from './calls.ts'
import { createDrill, type OnrampDrill } from './drill.ts'
import { findByRecognitionId, readStatement } from './history.ts'
import { type PageSettings, pageAddress } from './page-address.ts'
import { quote } from './quote.ts'

export type { OnrampDrill } from './drill.ts'

export interface OnrampSettings extends OnrampAccount, PageSettings {
  readonly timing: Partial<OnrampTiming>
}

interface OnrampTiming extends DepositProviderTiming {
  /** How long the provider's configuration is kept. */
  readonly configurationFreshMs: number
}

const TIMING: OnrampTiming = {
  deadlineMs: 10_000,
  lookUpSettleMs: 60_000,
  absentLookUps: 2,
  configurationFreshMs: 300_000,
  breaker: BREAKER_DEFAULTS,
}

const PATHS: Readonly<Record<OnrampConfiguration, string>> = {
  limitsMapping: '/onramp/api/v2/common/transaction/limits',
  allCountryConfig: '/onramp/api/v2/common/transaction/allCountryConfig',
  allConfigMapping: '/onramp/api/v2/common/transaction/allConfigMapping',
}

export function createOnramp(
  { widgetUrl, appId, wallet, timing: given, ...account }: OnrampSettings,
  deps: Omit<DepositCallsDeps, 'breaker'>,
): OnrampProvider & { readonly drill: OnrampDrill } {
  const timing = { ...TIMING, ...given }
  const { breaker, deadlineMs } = timing
  const call = createOnrampCalls(account, { ...deps, breaker, deadlineMs })
  const configurations = createKeyedMemo<Read<Readonly<Record<string, unknown>>>>({
    max: Object.keys(PATHS).length,
    clock: deps.clock,
    freshMs: timing.configurationFreshMs,
    isKept: ({ kind }) => kind === 'read',
  })
  const findOwn = (orderId: string, context: CallContext) =>
    findByRecognitionId(orderId, { call, appId, wallet, context })

  const onramp: OnrampProvider = {
    traits: {
      lookUpSettleMs: timing.lookUpSettleMs,
      absentLookUps: timing.absentLookUps,
      noticeReceipt: null,
    },
    quote: (request, context) => quote(request, call, context),
    // No call is made: the provider has the order once its payer begins.
    async createSession(order, { guard }) {
      if (!(await guard.begin())) return { kind: 'not-sent', detail: 'its lease is over' }
      return {
        kind: 'created',
        order: {
          providerOrderId: null,
          recognitionId: toProviderId(order.orderId),
          widgetUrl: pageAddress(order, { widgetUrl, appId, wallet }),
        },
      }
    },
    async findOrder(key, context) {
      if ('orderId' in key) return findOwn(key.orderId, context)
      // The order's own row names our id, and our id may have more orders than this one.
      const orderId = await depositOf(key.providerOrderId, call, context)
      return orderId.kind === 'read' && orderId.value !== 'absent'
        ? findOwn(orderId.value, context)
        : (orderId as Read<'absent'>)
    },
    readStatement: (window, context) => readStatement(window, { call, appId, wallet, context }),
    readNotice: (headers) => readNotice(account.secret, headers),
    configuration: (name, context) =>
      configurations(name, () => readConfiguration(name, call, context)),
  }
  const { http, clock } = deps
  return { ...onramp, drill: createDrill({ onramp, http, clock, deadlineMs }) }
}

async function readConfiguration(
  name: OnrampConfiguration,
  call: CallOnramp,
  context: CallContext,
): Promise<Read<Readonly<Record<string, unknown>>>> {
  const body = name === 'limitsMapping' ? { type: 1 } : {}
  const answer = await call({ operation: name, path: PATHS[name], body }, context)
  if (answer.kind === 'refusal') return unavailable(answer.detail)
  if (answer.kind !== 'success') return unavailable(answer.detail, answer.retryAfterMs)
  const value = fieldsOf(answer.data)
  return value === null ? unavailable(`${name} is no object`) : { kind: 'read', value }
}

async function depositOf(
  providerOrderId: string,
  call: CallOnramp,
  context: CallContext,
): Promise<Read<string>> {
  const path = '/onramp/api/v2/common/transaction/orderStatus'
  const body = { orderId: providerOrderId, type: 1 }
  const answer = await call({ operation: 'query order', path, body }, context)
  if (answer.kind === 'refusal' && answer.code === 417) return { kind: 'read', value: 'absent' }
  if (answer.kind === 'refusal') return unavailable(answer.detail)
  if (answer.kind !== 'success') return unavailable(answer.detail, answer.retryAfterMs)
  const orderId = toDepositId(own(fieldsOf(answer.data) ?? {}, 'merchantRecognitionId'))
  // An order that is not of this service.
  return { kind: 'read', value: orderId ?? 'absent' }
}

/**
 * Only the payload in the header is signed. The body of the notice is not read: a third party could put
 * another one beside a payload that it has recorded.
 */
function readNotice(secret: string, headers: NoticeHeaders): NoticeAnswer {
  const payload = headerOf(headers, 'x-onramp-payload')
  const signature = headerOf(headers, 'x-onramp-signature')
  if (payload === '' || !isSameSignature(signature, hmacSha512(secret, payload))) {
    return { kind: 'bad_signature' }
  }
  const signed = fieldsOf(parseJson(Buffer.from(payload, 'base64').toString('utf8'))) ?? {}
  const order = fieldsOf(own(signed, 'body')) ?? signed
  const orderId = toDepositId(own(order, 'merchantRecognitionId'))
  if (orderId !== null) return { kind: 'notice', order: { orderId } }
  const providerOrderId = textOf(own(order, 'orderId'))
  return { kind: 'notice', order: providerOrderId === null ? null : { providerOrderId } }
}
