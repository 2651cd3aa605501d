// The cards of the parties: availability, latency, and what goes wrong next. Each party's modules register
// theirs when they are loaded.
import { act, call } from './control.mjs'
import { el, keyedList, part, setAttribute, setChildren, setText } from './dom.mjs'

/**
 * @typedef {object} Card
 * @property {string} id
 * @property {string} name
 * @property {string} path of its switch and its script, below /control
 * @property {(state: any) => any} select its part of the state: `online`, `latencyMs`, `script`
 * @property {(status: any) => string} summary
 * @property {string} target what the next entry of the script applies to, such as "purchase"
 * @property {Readonly<Record<string, string>>} words entries of the script, with what each does
 * @property {(status: any) => Notice[]} [notices]
 */

/**
 * Something about a party that calls for attention, with a button or without.
 * @typedef {object} Notice
 * @property {string} text
 * @property {() => Promise<unknown>} [onclick]
 */

/** No entry can be called so. */
const OTHER = ' '

/** @type {Card[]} */
const cards = []

/** @param {Card} card */
export function addCard(card) {
  cards.push(card)
}

/**
 * @param {HTMLElement} container
 * @returns {(state: any) => void}
 */
export function showCards(container) {
  const show = keyedList(container, {
    key: (/** @type {{card: Card, status: any}} */ { card }) => card.id,
    create: ({ card }) => create(card),
    update: (row, { card, status }) => update(row, card, status),
  })
  return (state) => show(cards.map((card) => ({ card, status: card.select(state) })))
}

/** @param {Card} card */
function create(card) {
  const { name, path } = card
  /** @type {HTMLButtonElement} */
  const power = el('button', {
    type: 'button',
    class: 'switch',
    role: 'switch',
    'aria-label': `${name} online`,
    'data-part': 'power',
    onclick: () => {
      const online = power.getAttribute('aria-checked') !== 'true'
      return act(`${name} is ${online ? 'online' : 'offline'}.`, () =>
        call('PUT', path, { online }),
      )
    },
  })
  const latency = el('input', {
    type: 'number',
    min: '0',
    max: '600000',
    step: '100',
    inputmode: 'numeric',
    'data-part': 'latency',
    'aria-label': `Latency of ${name} in milliseconds`,
    onchange: () =>
      act(`${name} answers ${latency.value || 0} ms later.`, () =>
        call('PUT', path, { latencyMs: Number(latency.value || 0) }),
      ),
  })
  return el(
    'article',
    { class: 'party', 'data-party': card.id, 'aria-label': name },
    el('h2', {}, name, power),
    el('p', { class: 'summary', 'data-part': 'summary' }),
    el('label', { class: 'latency' }, 'Latency ', latency, ' ms'),
    scriptPart(card),
  )
}

/** @param {Card} card */
function scriptPart({ name, path, target, words }) {
  const choice = el(
    'select',
    {
      'aria-label': `What goes wrong with the next ${target} at ${name}`,
      onchange: () => {
        // A chosen word is a beginning: its number can be changed, and other words joined to it.
        input.value = choice.value === OTHER ? '' : choice.value
        entry.hidden = choice.value === ''
        if (choice.value === OTHER) input.focus()
      },
    },
    el('option', { value: '' }, `Next ${target}: as usual`),
    ...Object.entries(words).map(([word, effect]) => el('option', { value: word }, effect)),
    el('option', { value: OTHER }, 'Another entry …'),
  )
  const input = el('input', {
    type: 'text',
    name: 'word',
    placeholder: 'http_500',
    'aria-label': `Entry of the script of ${name}`,
    autocomplete: 'off',
    spellcheck: 'false',
  })
  const entry = el(
    'div',
    { class: 'entry', hidden: true },
    input,
    el('button', { type: 'submit' }, 'Queue'),
  )
  return el(
    'div',
    { class: 'script' },
    el(
      'form',
      {
        onsubmit: async (/** @type {Event} */ event) => {
          event.preventDefault()
          const word = input.value.trim()
          if (word === '') return
          const isDone = await act(`${name}: ${word} is set.`, () =>
            call('POST', `${path}/script`, { next: [word] }),
          )
          if (!isDone) return
          choice.value = ''
          input.value = ''
          entry.hidden = true
        },
      },
      choice,
      entry,
    ),
    el('ol', { class: 'queue', 'data-part': 'queue', 'aria-label': `Script of ${name}` }),
    el('p', { class: 'chores', 'data-part': 'notices' }),
  )
}

/**
 * @param {HTMLElement} row
 * @param {Card} card
 * @param {any} status
 */
function update(row, card, status) {
  setAttribute(row, 'data-online', String(status.online))
  const power = part(row, 'power')
  setAttribute(power, 'aria-checked', String(status.online))
  setText(power, status.online ? 'online' : 'offline')
  const latency = /** @type {HTMLInputElement} */ (part(row, 'latency'))
  const value = String(status.latencyMs)
  if (document.activeElement !== latency && latency.value !== value) latency.value = value
  setText(part(row, 'summary'), card.summary(status))

  const script = /** @type {string[]} */ (status.script)
  setChildren(part(row, 'queue'), script.join(' '), () => script.map((word) => el('li', {}, word)))
  const notices = card.notices?.(status) ?? []
  const signature = `${script.length > 0} ${notices.map(({ text }) => text).join()}`
  setChildren(part(row, 'notices'), signature, () => [
    script.length > 0 && emptyButton(card),
    ...notices.map(noticeElement),
  ])
}

/** @param {Card} card */
function emptyButton({ name, path }) {
  const onclick = () =>
    act(`The script of ${name} is empty.`, () => call('DELETE', `${path}/script`))
  return el('button', { type: 'button', class: 'plain', onclick }, 'Empty the script')
}

/** @param {Notice} notice */
function noticeElement({ text, onclick }) {
  return onclick === undefined
    ? el('span', { class: 'badge', 'data-tone': 'wait' }, text)
    : el('button', { type: 'button', class: 'warn', onclick }, text)
}
