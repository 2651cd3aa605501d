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
followHeadings()

function addCopyButtons() {
  for (const figure of document.querySelectorAll('figure.code')) {
    const button = document.createElement('button')
    button.type = 'button'
    button.textContent = 'Copy'
    button.setAttribute('aria-label', 'Copy the code')
    button.addEventListener('click', async () => {
      const code = figure.querySelector('code')?.textContent ?? ''
      try {
        await navigator.clipboard.writeText(code)
        button.textContent = 'Copied'
      } catch {
        button.textContent = 'Select and copy'
      }
      setTimeout(() => {
        button.textContent = 'Copy'
      }, 2_000)
    })
    figure.querySelector('figcaption')?.append(button)
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
  }
  button.hidden = false
  button.addEventListener('click', () => {
    root.dataset.theme = current() === 'dark' ? 'light' : 'dark'
    try {
      localStorage.setItem('theme', root.dataset.theme)
    } catch {
      // It holds for this page.
    }
    show()
  })
  show()
}

function foldMenu() {
  const menu = document.getElementById('menu')
  const isNarrow = matchMedia('(max-width: 60rem)')
  const fold = () => menu?.toggleAttribute('open', !isNarrow.matches)
  isNarrow.addEventListener('change', fold)
  fold()
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
