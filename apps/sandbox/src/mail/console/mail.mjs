// E-mail that the service would have sent. Text is shown as text: a mail cannot add markup to this page.
import { call } from '../../console/control.mjs'
import { bdi, el, keyedList, part, setText } from '../../console/dom.mjs'
import { ago } from '../../console/format.mjs'
import { addTab, viewBar } from '../../console/tabs.mjs'

addTab({ id: 'mail', label: 'Mail', show: showMail, count: ({ mail }) => mail })

/**
 * @param {HTMLElement} main
 * @param {string} rest `newest`: the newest mail is open, also one that comes later
 * @returns {(state: {nowMs: number}) => Promise<void>}
 */
function showMail(main, rest) {
  const rows = el('div', { class: 'rows', id: 'mails' })
  const empty = el(
    'p',
    { class: 'empty' },
    'No mail yet. What the service sends arrives here, and nowhere else.',
  )
  main.replaceChildren(viewBar('Mail from the service'), rows, empty)
  let nowMs = 0
  /** @type {Element | null} */
  let opened = null
  const show = keyedList(rows, {
    key: (/** @type {any} */ { id }) => String(id),
    create: createMail,
    update: (row, { receivedAt }) => setText(part(row, 'time'), ago(receivedAt, nowMs)),
  })
  return async (state) => {
    const { items } = await call('GET', '/mail')
    nowMs = state.nowMs
    show(items)
    empty.hidden = items.length > 0
    const newest = rows.firstElementChild
    if (rest !== 'newest' || newest === opened) return
    opened = newest
    newest?.setAttribute('open', '')
  }
}

/** @param {any} mail */
function createMail({ id, body }) {
  const subject = String(body.subject ?? 'Without a subject')
  const rendered = el('div', { 'data-part': 'html' })
  return el(
    'details',
    {
      class: 'mail',
      // Loaded when it is first opened: a list of a thousand mails is not a thousand frames.
      ontoggle: () => {
        if (body.html !== null && rendered.childElementCount === 0)
          rendered.append(frameOf(id, subject))
      },
    },
    el(
      'summary',
      {},
      el('strong', {}, bdi(subject)),
      el(
        'small',
        {},
        'to ',
        bdi(body.to ?? 'no recipient'),
        ' · ',
        el('span', { 'data-part': 'time' }),
      ),
    ),
    el(
      'div',
      { class: 'bodies' },
      el('pre', { dir: 'auto' }, ...withLinks(body.text ?? body.html ?? 'Without a body')),
      rendered,
    ),
  )
}

/**
 * The mail as a mail reader shows it: a document without scripts, of no origin, whose links open in a tab.
 * @param {number} id
 * @param {string} subject
 */
const frameOf = (id, subject) =>
  el('iframe', {
    src: `/control/mail/${id}/html`,
    title: `${subject}, as HTML`,
    sandbox: 'allow-popups allow-popups-to-escape-sandbox',
    referrerpolicy: 'no-referrer',
    loading: 'lazy',
  })

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
