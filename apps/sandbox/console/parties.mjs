// The markets and the platform: whether they answer, how late, what goes wrong next.
import { act, call } from './control.mjs'
import { el, keyedList, part, setAttribute, setChildren, setText } from './dom.mjs'
import { money, partyName } from './words.mjs'

/** What can be asked for, most wanted first; a word may also be typed, and joined with `+`. */
const SCRIPT_WORDS = [
  'reject:sold_out',
  'reject:price_changed',
  'reject:no_funds',
  'reject:unknown',
  'lost_reply_placed',
  'lost_reply_not_placed',
  'http_500',
  '502',
  'html_200',
  '429',
  '403',
  'slow:5000',
  'seller_cancels',
  'seller_cancels_offer',
  'reversal_by:user',
  'reversal_by:supplier',
  'success_without_id',
  'failure_with_id',
  'extra_status_6',
  'lookup_blind:5',
  'lost_reply_placed+lookup_blind:5',
  'socket_cut',
  'token_expired',
  'duplicate_news',
]

/** What a bot's next trade offer can meet, and what can befall the bots at once. */
const SEND_WORDS = [
  'lost_reply_placed',
  'lost_reply_not_placed',
  'http_500',
  'http_500+placed',
  'reject:15',
  'session_lost',
  '429',
  'slow:5000',
  'end_sessions',
  'foreign_confirmation',
  'refuse_reads:3',
]

/** @typedef {{id: string, [field: string]: any}} Party */

/**
 * @param {HTMLElement} container
 * @returns {(state: any) => void}
 */
export function partiesIn(container) {
  for (const [id, words] of Object.entries({ market: SCRIPT_WORDS, platform: SEND_WORDS })) {
    const options = words.map((value) => el('option', { value }))
    document.body.append(el('datalist', { id: `words-of-${id}` }, ...options))
  }
  const show = keyedList(container, { key: ({ id }) => id, create, update })
  return (state) => {
    /** @type {Party[]} */
    const markets = Object.entries(state.markets).map(([id, market]) => ({ id, ...market }))
    show([...markets, { id: 'platform', ...state.platform }])
  }
}

/** @param {Party} party */
function pathOf({ id }) {
  return id === 'platform' ? '/platform' : `/markets/${id}`
}

/** @param {Party} party */
function create(party) {
  const name = partyName(party.id)
  const path = pathOf(party)
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
    { class: 'party', 'data-party': party.id, 'aria-label': name },
    el('h2', {}, name, power),
    el('p', { class: 'facts', 'data-part': 'facts' }),
    el('label', { class: 'latency' }, 'Latency ', latency, ' ms'),
    party.script === undefined ? null : scriptPart(party, name),
  )
}

/**
 * @param {Party} party
 * @param {string} name
 */
function scriptPart(party, name) {
  const isPlatform = party.id === 'platform'
  const input = el('input', {
    type: 'text',
    name: 'word',
    list: `words-of-${isPlatform ? 'platform' : 'market'}`,
    placeholder: 'next: http_500, …',
    'aria-label': `What goes wrong with the next ${isPlatform ? 'offer of a bot' : 'purchase'} at ${name}`,
    autocomplete: 'off',
    spellcheck: 'false',
  })
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
            call('POST', `${pathOf(party)}/script`, { next: [word] }),
          )
          if (isDone) input.value = ''
        },
      },
      input,
      el('button', { type: 'submit' }, 'Queue'),
    ),
    el('ol', { class: 'queue', 'data-part': 'queue', 'aria-label': `Script of ${name}` }),
    el('p', { class: 'chores', 'data-part': 'chores' }),
  )
}

/**
 * @param {HTMLElement} row
 * @param {Party} party
 */
function update(row, party) {
  setAttribute(row, 'data-online', String(party.online))
  const power = part(row, 'power')
  setAttribute(power, 'aria-checked', String(party.online))
  setText(power, party.online ? 'online' : 'offline')
  const latency = /** @type {HTMLInputElement} */ (part(row, 'latency'))
  const value = String(party.latencyMs)
  if (document.activeElement !== latency && latency.value !== value) latency.value = value
  if (party.id === 'platform') {
    setText(part(row, 'facts'), 'Trade URLs, inventories, offers.')
    if (party.script !== undefined) updateScript(row, party)
    return
  }
  const balances = party.accounts.map((/** @type {any} */ account) => money(account.balance))
  setText(
    part(row, 'facts'),
    `${party.listings.toLocaleString('en')} listings · account ${balances.join(', ')}`,
  )
  updateScript(row, party)
}

/**
 * @param {HTMLElement} row
 * @param {Party} party
 */
function updateScript(row, party) {
  const name = partyName(party.id)
  const script = /** @type {string[]} */ (party.script)
  const queue = part(row, 'queue')
  setChildren(queue, script.join(' '), () => script.map((word) => el('li', {}, word)))
  const isRevoked = (party.accounts ?? []).some((/** @type {any} */ { revoked }) => revoked)
  const chores = part(row, 'chores')
  setChildren(chores, `${script.length > 0} ${isRevoked} ${party.lookupsBlind}`, () => [
    script.length > 0 &&
      el(
        'button',
        {
          type: 'button',
          class: 'plain',
          onclick: () =>
            act(`The script of ${name} is empty.`, () => call('DELETE', `${pathOf(party)}/script`)),
        },
        'Empty the script',
      ),
    isRevoked &&
      el(
        'button',
        {
          type: 'button',
          class: 'warn',
          onclick: () =>
            act(`The keys of ${name} are good again.`, () =>
              call('PUT', `/markets/${party.id}`, { restoreKeys: true }),
            ),
        },
        'Key revoked: restore',
      ),
    party.lookupsBlind === true &&
      el('span', { class: 'badge', 'data-tone': 'wait' }, 'look-ups blind'),
  ])
}
