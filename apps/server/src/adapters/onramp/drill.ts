// What the on-ramp answers. Nothing is paid: of a card payment the page is opened alone.
import type { HttpClient } from '#infra/http/http-client'
import type { SendGuard } from '#infra/jobs/send-guard'
import type { Clock } from '#infra/process/clock'
import { asExpected, type Check, differs } from '#kernel/check'
import { newId } from '#kernel/id'
import { type Cents, cents, formatCents } from '#kernel/money'
import type { NewOnrampOrder, OnrampConfiguration, OnrampProvider } from '#ports/deposits'

export interface DrillOptions {
  readonly onramp: OnrampProvider
  readonly http: HttpClient
  readonly clock: Clock
  readonly deadlineMs: number
}

export type OnrampDrill = (guard: SendGuard) => readonly Check[]

const CONFIGURATIONS = [
  'limitsMapping',
  'allCountryConfig',
  'allConfigMapping',
] as const satisfies readonly OnrampConfiguration[]
const DAY_MS = 86_400_000
const RECEIVED: Cents = cents(5000n)
const PAGE_MAX_BYTES = 8 * 1024 * 1024

export function createDrill({ onramp, http, clock, deadlineMs }: DrillOptions): OnrampDrill {
  return (guard) => [
    ...CONFIGURATIONS.map(
      (name): Check => ({
        name,
        async run(context) {
          const read = await onramp.configuration(name, context)
          if (read.kind === 'unavailable') return differs(read.detail)
          return asExpected(`${Object.keys(read.value).length} fields`)
        },
      }),
    ),
    {
      name: 'quote',
      async run(context) {
        const amount = { receiveUsd: RECEIVED }
        const asked = { amount, payCurrency: 'USD', countryCode: null, coin: null } as const
        const read = await onramp.quote(asked, context)
        if (read.kind === 'unavailable') return differs(read.detail)
        if (typeof read.value === 'string') return differs(read.value)
        const { pay, receiveUsd } = read.value
        return asExpected(`${formatCents(cents(pay))} USD for ${formatCents(receiveUsd)} USD`)
      },
    },
    {
      name: 'composed address',
      async run(context) {
        const order: NewOnrampOrder = {
          orderId: newId(),
          payCurrency: 'USD',
          pay: RECEIVED,
          receiveUsd: RECEIVED,
          redirectUrl: null,
          coin: null,
          paymentMethod: 'instant',
          expiresAt: new Date(clock.now().getTime() + DAY_MS),
        }
        const answer = await onramp.createSession(order, { ...context, guard })
        if (answer.kind !== 'created') return differs(`${answer.kind}: ${answer.detail}`)
        const page = await http.request({
          ...{ provider: 'onramp', operation: 'open page', method: 'GET' },
          ...{ url: answer.order.widgetUrl, deadlineMs, maxBytes: PAGE_MAX_BYTES, context },
        })
        if (page.kind !== 'answer') return differs(page.detail)
        return page.status < 400
          ? asExpected(`the page is shown (status ${page.status}): look at it in a browser as well`)
          : differs(`the page is refused with status ${page.status}`)
      },
    },
    {
      name: 'history of a day',
      async run(context) {
        const until = clock.now()
        const from = new Date(until.getTime() - DAY_MS)
        const read = await onramp.readStatement({ from, until }, context)
        if (read.kind === 'unavailable') return differs(read.detail)
        return asExpected(`${read.value.length} payments`)
      },
    },
  ]
}
