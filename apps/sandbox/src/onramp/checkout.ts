// The page on which a person pays, and which sends the person back to the shop in the end.
import type { FastifyInstance } from 'fastify'
import { createPages, escapeHtml, type Page, REDIRECT_SECONDS } from '../http/pages.ts'
import { FIATS } from './assets.ts'
import { type Asked, type QuoteDeps, readOrder } from './new-order.ts'
import { isWaiting, type OnrampOrder, STATUS } from './order.ts'
import type { OnrampOrders } from './orders.ts'
import type { OnrampSettings } from './settings.ts'

const pages = createPages({
  brand: 'Card on-ramp',
  stylesheet: 'checkout.css',
  style: `
dl { margin: 0 0 1.5rem; }
dl div { display: flex; align-items: baseline; justify-content: space-between; gap: 1rem; padding: .375rem 0; border-bottom: 1px solid color-mix(in srgb, CanvasText 15%, transparent); }
dd { margin: 0; font-variant-numeric: tabular-nums; text-align: right; }
.total dd { font-size: 1.25rem; font-weight: 600; }
fieldset { margin: 1.5rem 0 0; padding: .75rem 1rem 1rem; border: 1px solid color-mix(in srgb, CanvasText 20%, transparent); border-radius: .5rem; }
legend { padding: 0 .375rem; font-size: .875rem; }
`,
})

const CHOICES: readonly {
  readonly name: string
  readonly label: string
  readonly status: number
}[] = [
  { name: 'wrong-amount', label: 'Pay a different amount', status: STATUS.amountMismatch },
  { name: 'other-name', label: 'Pay with another person’s card', status: STATUS.nameMismatch },
  { name: 'cancel', label: 'Cancel', status: STATUS.abandoned },
]

export interface CheckoutDeps extends QuoteDeps {
  readonly orders: OnrampOrders
  readonly settings: Pick<OnrampSettings, 'appIds'>
}

export function serveCheckout(app: FastifyInstance, deps: CheckoutDeps): void {
  const { orders } = deps
  pages.serve(app)
  app.get('/main/buy/', (request, reply) => {
    const begun = begin(request.query as Asked, deps)
    return typeof begun === 'number'
      ? pages.send(reply.code(400), refusedPage(begun))
      : reply.code(303).header('location', `../../checkout?hash=${begun.hash}`).send()
  })
  app.get('/checkout', (request, reply) => {
    const order = orders.byHash(hashOf(request.query))
    if (order === undefined) return pages.send(reply.code(404), NOT_FOUND)
    return pages.send(reply, order.status === STATUS.created ? payPage(order) : resultPage(order))
  })
  app.post('/checkout', (request, reply) => {
    const order = orders.byHash(hashOf(request.body))
    if (order === undefined) return pages.send(reply.code(404), NOT_FOUND)
    const { choice } = request.body as { readonly choice?: string }
    const failure = CHOICES.find(({ name }) => name === choice)
    // After the first press the order has moved: the result page shows what became of it.
    if (failure !== undefined && isWaiting(order)) orders.fail(order, failure.status)
    else if (choice === 'pay') orders.pay(order)
    return reply.code(303).header('location', `checkout?hash=${order.hash}`).send()
  })
}

/** The order of this address: made when its payer begins, and the same when the page is opened again. */
function begin(asked: Asked, { orders, settings, ...deps }: CheckoutDeps): OnrampOrder | number {
  const order = readOrder(asked, { ...deps, ...settings })
  if (typeof order === 'number') return order
  const { merchantRecognitionId: id } = order
  return (id === '' ? undefined : orders.byRecognitionId(id)) ?? orders.create(order)
}

const refusedPage = (code: number): Page => ({
  title: 'This payment cannot be made',
  body: `<p>${escapeHtml(REASONS[code] ?? 'Its address is not whole.')} Begin again in the shop.</p>`,
})

const REASONS: Readonly<Record<number, string>> = {
  403: 'The shop is not known here.',
  406: 'This coin is not sold on this network.',
  409: 'The amount is no amount of money.',
  413: 'The amount is too small or too large.',
}

function hashOf(fields: unknown): string {
  const { hash } = (fields ?? {}) as { readonly hash?: unknown }
  return typeof hash === 'string' ? hash : ''
}

const NOT_FOUND: Page = {
  title: 'No such payment',
  body: '<p>This address belongs to no payment. Begin again in the shop.</p>',
}

const payPage = (order: OnrampOrder): Page => ({
  title: 'Pay by card',
  body: `
    <dl>
      <div class="total"><dt>To pay</dt><dd>${moneyOf(order)}</dd></div>
      <div><dt>The shop receives</dt><dd>${coinsOf(order.coinCents, order)}</dd></div>
      <div><dt>Fees, included</dt><dd>${feesOf(order)}</dd></div>
      <div><dt>Order</dt><dd>${order.orderId}</dd></div>
    </dl>
    <p class="note">This is a sandbox: there is no card, and no money moves.</p>
    <form method="post" action="checkout">
      <input type="hidden" name="hash" value="${order.hash}">
      <button class="primary" name="choice" value="pay">Pay ${moneyOf(order)}</button>
      <fieldset>
        <legend>Or let it fail</legend>
        ${CHOICES.map(({ name, label }) => `<button name="choice" value="${name}">${label}</button>`).join('\n        ')}
      </fieldset>
    </form>`,
})

function resultPage(order: OnrampOrder): Page {
  const { title, text } = outcomeOf(order)
  const back = order.redirectUrl === null ? null : backTo(order)
  return {
    title,
    body: `
    <p role="status">${text}</p>
    <dl>
      <div><dt>Paid</dt><dd>${order.status < 0 ? 'nothing' : moneyOf(order)}</dd></div>
      <div><dt>Order</dt><dd>${order.orderId}</dd></div>
    </dl>
    ${
      back === null
        ? '<p>You may close this page.</p>'
        : `<p>You return to the shop in ${REDIRECT_SECONDS} seconds. <a href="${escapeHtml(back)}">Return now</a></p>`
    }`,
    ...(back === null ? {} : { redirectTo: back }),
  }
}

function outcomeOf({ status }: OnrampOrder): { readonly title: string; readonly text: string } {
  switch (status) {
    case STATUS.amountMismatch:
      return { title: 'Payment failed', text: 'The amount was not the agreed one.' }
    case STATUS.nameMismatch:
      return { title: 'Payment failed', text: 'The card belongs to another person.' }
    case STATUS.abandoned:
      return { title: 'Payment canceled', text: 'You canceled the payment.' }
    case STATUS.timedOut:
      return { title: 'Too late', text: 'The time for this payment is over.' }
    default:
      return {
        title: 'Payment received',
        text: 'Thank you. The tokens are on their way to the shop.',
      }
  }
}

/** The shop's address, with what became of the order as the provider adds it. */
function backTo({ redirectUrl, orderId, merchantRecognitionId, status }: OnrampOrder): string {
  const url = new URL(redirectUrl ?? '')
  url.searchParams.set('orderId', String(orderId))
  url.searchParams.set('merchantRecognitionId', merchantRecognitionId)
  url.searchParams.set(
    'status',
    status < 0 ? 'failed' : status >= STATUS.complete ? 'success' : 'pending',
  )
  return url.href
}

const symbolOf = ({ fiatType }: OnrampOrder): string =>
  FIATS.find((fiat) => fiat.fiatType === fiatType)?.symbol ?? ''

const moneyOf = (order: OnrampOrder): string =>
  `${(order.fiatCents / 100).toFixed(2)} ${symbolOf(order)}`

const feesOf = (order: OnrampOrder): string => {
  const { onramp, gateway, gas } = order.feeCents
  return `${((onramp + gateway + gas) / 100).toFixed(2)} ${symbolOf(order)}`
}

const coinsOf = (cents: number, { coinCode, network }: OnrampOrder): string =>
  `${(cents / 100).toFixed(2)} ${coinCode.toUpperCase()} on ${network}`
