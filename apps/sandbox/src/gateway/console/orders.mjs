// The gateway's orders, with the buttons of a payer and of the gateway.
import { act, call } from '../../console/control.mjs'
import { bdi, el, keyedList, part, setAttribute, setText } from '../../console/dom.mjs'
import { ago, depositName } from '../../console/format.mjs'
import { addTab, viewBar } from '../../console/tabs.mjs'

addTab({
  id: 'gateway',
  label: 'Gateway',
  show: showOrders,
  count: ({ gateway }) => gateway.open,
})

const TONES = /** @type {Record<string, string>} */ ({
  PENDING: 'act',
  PROCESS: 'wait',
  PAID: 'good',
})

const DONE = { pay: 'payment sent', expire: 'expired', refund: 'refund sent' }

/**
 * @param {HTMLElement} main
 * @returns {(state: {nowMs: number}) => Promise<void>}
 */
function showOrders(main) {
  const rows = el('ul', { class: 'rows', id: 'gateway-orders' })
  const empty = el('p', { class: 'empty' }, 'No deposit was begun at the gateway yet.')
  main.replaceChildren(viewBar('Orders at the payment gateway'), rows, empty)
  let nowMs = 0
  const show = keyedList(rows, {
    key: (/** @type {any} */ order) => order.prepayId,
    create: createOrder,
    update: (row, order) => updateOrder(row, order, nowMs),
  })
  return async (state) => {
    const { items } = await call('GET', '/gateway/orders')
    nowMs = state.nowMs
    show(items)
    empty.hidden = items.length > 0
  }
}

/** @param {any} order */
function createOrder({ prepayId, merchantTradeNo, payAmount, payCurrency, chain, address }) {
  const amount = el('input', {
    type: 'text',
    inputmode: 'decimal',
    size: '8',
    placeholder: 'all',
    'aria-label': `Amount to pay or refund of order ${prepayId}`,
  })
  const given = () => (amount.value.trim() === '' ? {} : { amount: amount.value.trim() })
  const button = (/** @type {'pay' | 'expire' | 'refund'} */ verb) =>
    el(
      'button',
      {
        type: 'button',
        'data-part': verb,
        onclick: () =>
          act(`Order ${prepayId}: ${DONE[verb]}.`, () =>
            call('POST', `/gateway/${prepayId}/${verb}`, verb === 'expire' ? {} : given()),
          ),
      },
      verb,
    )
  return el(
    'li',
    { class: 'row', 'data-prepay': prepayId },
    el(
      'div',
      { class: 'what' },
      el('strong', {}, `${payAmount} ${payCurrency} on ${chain}`),
      el('small', {}, bdi(depositName(merchantTradeNo)), ` · order ${prepayId} · ${address}`),
    ),
    el('div', { class: 'who' }, el('small', { 'data-part': 'payments' })),
    el(
      'div',
      { class: 'when' },
      el('span', { class: 'badge', 'data-part': 'status' }),
      el('small', { 'data-part': 'time' }),
    ),
    el('div', { class: 'acts' }, amount, button('pay'), button('expire'), button('refund')),
  )
}

/**
 * @param {HTMLElement} row
 * @param {any} order
 * @param {number} nowMs
 */
function updateOrder(row, order, nowMs) {
  const status = part(row, 'status')
  setText(status, order.status)
  setAttribute(status, 'data-tone', TONES[order.status] ?? 'bad')
  const isOpen = order.status === 'PENDING'
  setText(
    part(row, 'time'),
    isOpen ? `ends ${ago(order.expiresAt, nowMs)}` : ago(order.createdAt, nowMs),
  )
  const lines = [
    ...order.payments.map(
      (/** @type {any} */ { amount, state, isLate }) =>
        `${amount} ${state}${isLate ? ', after the end' : ''}`,
    ),
    ...order.refunds.map((/** @type {any} */ { amount, state }) => `${amount} ${state}`),
  ]
  setText(part(row, 'payments'), lines.join(' · '))
  part(row, 'expire').hidden = !isOpen
  part(row, 'refund').hidden = !order.payments.some(
    (/** @type {any} */ { state }) => state === 'done',
  )
}
