// What a page can do beyond being read: search, copying code, the choice of a theme, a menu that is folded on
// a phone. Everything works without it but the search.
import { addSearch } from './search.mjs'

const root = document.documentElement

/** Addresses of the reference as they were when it was the first page. */
if (
  location.pathname === '/docs' &&
  /^#(?:merchant\/|partner\/)?(?:tag|model|description)\b/.test(location.hash)
) {
  location.replace(`/docs/reference${location.hash}`)
}

addSearch()
addCopyButtons()
addTheme()
foldMenu()
closeMenu()
followHeadings()

function addCopyButtons() {
  // A change of a button's own name is not read out everywhere.
  const status = document.createElement('p')
  status.setAttribute('role', 'status')
  status.className = 'read-out'
  document.body.append(status)
  for (const figure of document.querySelectorAll('figure.code')) {
    const button = document.createElement('button')
    button.type = 'button'
    button.textContent = 'Copy'
    button.setAttribute('aria-label', 'Copy the code')
    button.addEventListener('click', async () => {
      const said = await copy(figure.querySelector('code'))
      button.textContent = said
      button.removeAttribute('aria-label')
      status.textContent = said
      setTimeout(() => {
        button.textContent = 'Copy'
        button.setAttribute('aria-label', 'Copy the code')
        status.textContent = ''
      }, 2_000)
    })
    figure.querySelector('figcaption')?.append(button)
  }
}

/**
 * Without TLS a page has no clipboard but on this very machine: the code is then selected for the keyboard.
 * @param {HTMLElement | null} code
 */
async function copy(code) {
  if (code === null) return 'Nothing to copy'
  try {
    await navigator.clipboard.writeText(code.textContent ?? '')
    return 'Copied'
  } catch {
    getSelection()?.selectAllChildren(code)
    return 'Selected: press Ctrl+C'
  }
}

function addTheme() {
  const button = document.getElementById('theme')
  if (button === null) return
  const current = () =>
    root.dataset.theme ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light')
  const show = () => {
    const other = current() === 'dark' ? 'light' : 'dark'
    button.textContent = other === 'dark' ? 'Dark' : 'Light'
    button.setAttribute('aria-label', `Switch to the ${other} theme`)
    // The viewer of the reference has marks of its own.
    const isViewer = document.getElementById('app') !== null
    for (const one of ['light', 'dark']) {
      document.body.classList.toggle(`${one}-mode`, isViewer && one !== other)
    }
  }
  button.hidden = false
  button.addEventListener('click', () => {
    root.dataset.theme = current() === 'dark' ? 'light' : 'dark'
    try {
      localStorage.setItem('tradepost-theme', root.dataset.theme)
    } catch {
      // It holds for this page.
    }
    show()
  })
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', show)
  show()
}

function foldMenu() {
  const menu = document.getElementById('menu')
  const isNarrow = matchMedia('(max-width: 60rem)')
  const fold = () => menu?.toggleAttribute('open', !isNarrow.matches)
  isNarrow.addEventListener('change', fold)
  fold()
}

/** A menu that opens over the page closes with Escape and beside it. */
function closeMenu() {
  const menu = document.querySelector('details.drop')
  if (!(menu instanceof HTMLDetailsElement)) return
  addEventListener('keydown', ({ key }) => {
    if (key !== 'Escape' || !menu.open) return
    menu.open = false
    menu.querySelector('summary')?.focus()
  })
  for (const name of ['click', 'focusin']) {
    addEventListener(name, ({ target }) => {
      if (!(target instanceof Node && menu.contains(target))) menu.open = false
    })
  }
}

/** Marks in the list of headings where the reader is. */
function followHeadings() {
  const links = /** @type {HTMLAnchorElement[]} */ ([...document.querySelectorAll('.contents a')])
  if (links.length === 0) return
  const headings = links.map((link) => document.getElementById(link.hash.slice(1)))
  const mark = () => {
    const passed = headings.findLastIndex(
      (one) => one !== null && one.getBoundingClientRect().top < 120,
    )
    links.forEach((link, i) => {
      if (i === Math.max(0, passed)) link.setAttribute('aria-current', 'true')
      else link.removeAttribute('aria-current')
    })
  }
  let isAsked = false
  addEventListener(
    'scroll',
    () => {
      if (isAsked) return
      isAsked = true
      requestAnimationFrame(() => {
        isAsked = false
        mark()
      })
    },
    { passive: true },
  )
  mark()
}
