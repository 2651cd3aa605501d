// E-mail that the service would have sent. Text is shown as text: a mail cannot add markup to this page.
import { call } from '../../console/control.mjs'
import { el, keyedList, part, setText } from '../../console/dom.mjs'
import { ago } from '../../console/format.mjs'
import { addTab } from '../../console/tabs.mjs'

addTab({ id: 'mail', label: 'Mail', show: showMail, count: ({ mail }) => mail })

/**
 * @param {HTMLElement} main
 * @returns {(state: {nowMs: number}) => Promise<void>}
 */
function showMail(main) {
  const rows = el('div', { class: 'rows', id: 'mails' })
  const empty = el(
    'p',
    { class: 'empty' },
    'No mail yet. What the service sends arrives here, and nowhere else.',
  )
  main.replaceChildren(el('div', { class: 'bar' }, el('h2', {}, 'Mail')), rows, empty)
  let nowMs = 0
  const show = keyedList(rows, {
    key: (/** @type {any} */ { key }) => key,
    create: createMail,
    update: (row, { mail }) => setText(part(row, 'time'), ago(mail.receivedAt, nowMs)),
  })
  return async (state) => {
    const { items } = await call('GET', '/mail')
    nowMs = state.nowMs
    show(withKeys(items))
    empty.hidden = items.length > 0
  }
}

/**
 * Mails have no number of their own: each is known by its time and its place among those of the same time.
 * @param {any[]} newestFirst
 */
function withKeys(newestFirst) {
  /** @type {Map<string, number>} */
  const seen = new Map()
  return newestFirst
    .toReversed()
    .map((mail) => {
      const before = seen.get(mail.receivedAt) ?? 0
      seen.set(mail.receivedAt, before + 1)
      return { key: `${mail.receivedAt} ${before}`, mail }
    })
    .toReversed()
}

/** @param {{mail: any}} item */
function createMail({ mail }) {
  const body = mail.body ?? {}
  const text = [body.text, body.html].find((value) => typeof value === 'string')
  return el(
    'details',
    { class: 'mail' },
    el(
      'summary',
      {},
      el('strong', {}, String(body.subject ?? 'Without a subject')),
      el(
        'small',
        {},
        `to ${String(body.to ?? 'no recipient')} · `,
        el('span', { 'data-part': 'time' }),
      ),
    ),
    el('pre', {}, ...withLinks(text ?? JSON.stringify(body, null, 2))),
  )
}

/**
 * The addresses in a text as links: following one is what most mails are for.
 * @param {string} text
 */
function withLinks(text) {
  return text
    .split(/(https?:\/\/[^\s<>"')]+)/)
    .map((piece, i) =>
      i % 2 === 1
        ? el('a', { href: piece, target: '_blank', rel: 'noopener noreferrer' }, piece)
        : piece,
    )
}
