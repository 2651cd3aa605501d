// The console: one view at a time, looked at again every second for as long as somebody sees it.
import { call, refreshAfterActions } from './control.mjs'
import { setAttribute, setText } from './dom.mjs'
import { showInventory } from './inventory.mjs'
import { showListings } from './listings.mjs'
import { showMail } from './mail.mjs'
import { showOffers } from './offers.mjs'
import { showOrders } from './orders.mjs'
import { partiesIn } from './parties.mjs'

const EVERY_MS = 1_000

/** @typedef {(world: {nowMs: number}) => Promise<void>} Refresh */

const VIEWS = /** @type {Record<string, (main: HTMLElement, rest: string) => Refresh>} */ ({
  offers: showOffers,
  orders: showOrders,
  listings: showListings,
  inventory: showInventory,
  mail: showMail,
})

/** @param {string} id */
const byId = (id) => /** @type {HTMLElement} */ (document.getElementById(id))
const main = byId('main')
const showParties = partiesIn(byId('parties'))

/** @type {Refresh} */
let refreshView = async () => {}

function route() {
  const [name = '', rest = ''] = location.hash.slice(1).split('/')
  const view = Object.hasOwn(VIEWS, name) ? name : 'offers'
  for (const link of document.querySelectorAll('.tabs a')) {
    if (link.getAttribute('href') === `#${view}`) link.setAttribute('aria-current', 'page')
    else link.removeAttribute('aria-current')
  }
  refreshView = VIEWS[view]?.(main, rest) ?? refreshView
  main.onchange = () => void refresh()
  void refresh()
}

/** @type {Promise<void> | null} */
let running = null

/** One look at a time; who asks while one is under way gets one that began after the question. */
async function refresh() {
  if (running !== null) await running
  running ??= look().finally(() => {
    running = null
  })
  await running
}

async function look() {
  const view = refreshView
  try {
    const state = await call('GET', '/state')
    showParties(state)
    setText(
      byId('world'),
      `seed ${state.seed} · hold ${state.holdSeconds} s · ${state.now.slice(11, 19)} UTC`,
    )
    setText(byId('count-mail'), state.mail > 0 ? String(state.mail) : '')
    setText(byId('count-offers'), waitingOf(state))
    await view({ nowMs: Date.parse(state.now) })
    pulse('live', 'live')
  } catch {
    pulse('lost', 'the sandbox does not answer')
  }
}

/** @param {any} state */
function waitingOf({ markets }) {
  const waiting = Object.values(markets).reduce(
    (/** @type {number} */ sum, /** @type {any} */ { orders }) => sum + (orders?.offered ?? 0),
    0,
  )
  return waiting > 0 ? String(waiting) : ''
}

/**
 * @param {string} state
 * @param {string} text
 */
function pulse(state, text) {
  const element = byId('pulse')
  setAttribute(element, 'data-state', state)
  setText(/** @type {Element} */ (element.firstElementChild), text)
}

refreshAfterActions(refresh)
addEventListener('hashchange', route)
document.addEventListener('visibilitychange', () => void (document.hidden || refresh()))
setInterval(() => void (document.hidden || running || refresh()), EVERY_MS)
route()
