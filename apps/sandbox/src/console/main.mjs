// The console: one view at a time, refreshed every second while it is visible.
import { showCards } from './cards.mjs'
import { call, refreshAfterActions } from './control.mjs'
import { el, setAttribute, setText } from './dom.mjs'
import { tabs } from './tabs.mjs'

const EVERY_MS = 1_000

/** @param {string} id */
const byId = (id) => /** @type {HTMLElement} */ (document.getElementById(id))
const main = byId('main')
const updateCards = showCards(byId('parties'))

/** @type {import('./tabs.mjs').Refresh} */
let refreshView = async () => {}

byId('tabs').append(
  ...tabs.map(({ id, label }) =>
    el('a', { href: `#${id}` }, `${label} `, el('b', { id: `count-${id}` })),
  ),
)

function route() {
  const [name = '', rest = ''] = location.hash.slice(1).split('/')
  const tab = tabs.find(({ id }) => id === name) ?? tabs[0]
  if (tab === undefined) return
  for (const link of document.querySelectorAll('.tabs a')) {
    if (link.getAttribute('href') === `#${tab.id}`) {
      link.setAttribute('aria-current', 'page')
      // A phone shows a few tabs at a time: the open one is among them. The page itself stays where it is.
      const bar = byId('tabs')
      const { offsetLeft, offsetWidth } = /** @type {HTMLElement} */ (link)
      bar.scrollLeft = offsetLeft - (bar.clientWidth - offsetWidth) / 2
    } else link.removeAttribute('aria-current')
  }
  document.title = `${tab.label} · Tradepost sandbox`
  refreshView = tab.show(main, rest)
  main.onchange = () => void refresh()
  void refresh()
}

/** @type {Promise<void> | null} */
let running = null

/** One refresh at a time: a caller during one waits for the next, which shows the effect of its action. */
async function refresh() {
  if (running !== null) await running
  running ??= readAndShow().finally(() => {
    running = null
  })
  await running
}

async function readAndShow() {
  const view = refreshView
  try {
    const state = await call('GET', '/state')
    updateCards(state)
    setText(
      byId('about'),
      `seed ${state.seed} · hold ${state.holdSeconds} s · ${state.now.slice(11, 19)} UTC`,
    )
    for (const { id, count } of tabs) setText(byId(`count-${id}`), String(count?.(state) || ''))
    await view({ nowMs: Date.parse(state.now), serviceUrl: state.notices?.url ?? null })
    pulse('live', 'live')
  } catch {
    pulse('lost', 'the sandbox does not answer')
  }
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
