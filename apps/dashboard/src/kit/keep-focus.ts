// What is drawn anew may take the focused element with it: a form that becomes its result, a button that
// becomes another one. The browser then leaves the focus nowhere, and a screen reader says nothing.

/** Where the focus stays: at the heading of the nearest of these that is still there. */
const PLACES = 'dialog[open], [popover]:popover-open, section, main'
/** Their rows come and go as they are scrolled. */
const TABLES = 'table, [role=table], [role=grid], [role=listbox]'

/** Once, when the page is loaded. */
export function keepFocus(): void {
  /** The element that had the focus last, and everything that it was in. */
  let path: readonly Element[] = []
  addEventListener('focusin', ({ target }) => {
    path = target instanceof Element ? pathOf(target) : []
  })
  const look = (): void => {
    const [lost] = path
    if (lost === undefined || lost.isConnected || document.activeElement !== document.body) return
    const place = path.find((each) => each.isConnected && each.matches(PLACES))
    const isRow = path.some((each) => each.matches(TABLES))
    path = []
    if (place instanceof HTMLElement && !isRow) focusHeadingOf(place)
  }
  new MutationObserver(look).observe(document.body, { childList: true, subtree: true })
}

function pathOf(element: Element): Element[] {
  const path: Element[] = []
  for (let at: Element | null = element; at !== null; at = at.parentElement) path.push(at)
  return path
}

function focusHeadingOf(place: HTMLElement): void {
  const target = place.querySelector<HTMLElement>('h1, h2, h3') ?? place
  if (!target.hasAttribute('tabindex')) target.tabIndex = -1
  target.focus({ preventScroll: true })
}
