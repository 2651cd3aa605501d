// When the person last did something on this page. What an open page reads by itself must not keep a session
// alive, and its token is renewed only while its person works.
const EVENTS = ['pointerdown', 'pointermove', 'wheel', 'keydown', 'touchmove'] as const
/** As often as the service notes the use of a session. */
const ATTENDED_MS = 60_000

const loadedAt = Date.now()
let usedAt = 0

/** Once, when the page is loaded. */
export function watchUse(): void {
  const note = (): void => {
    usedAt = Date.now()
  }
  for (const event of EVENTS) addEventListener(event, note, { passive: true, capture: true })
}

/** Unix ms; 0 before the first use. */
export const lastUsedAt = (): number => usedAt

/** The loading of the page counts as well. */
export const isAttended = (): boolean => Date.now() - Math.max(loadedAt, usedAt) < ATTENDED_MS
