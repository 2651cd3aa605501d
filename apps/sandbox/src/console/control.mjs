// The calls of the control interface, and the one place that says how they went.

const DEADLINE_MS = 5_000

/** What the control interface refused, in its own sentence. */
export class Refused extends Error {}

/**
 * @param {string} method
 * @param {string} path below /control
 * @param {unknown} [body]
 * @returns {Promise<any>}
 */
export async function call(method, path, body) {
  const response = await fetch(`/control${path}`, {
    method,
    ...(body === undefined
      ? {}
      : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(DEADLINE_MS),
    cache: 'no-store',
  })
  const answer = await response.json()
  if (!response.ok) throw new Refused(answer.error ?? `Status ${response.status}`)
  return answer
}

/** @type {() => Promise<void>} */
let refreshNow = async () => {}

/** @param {() => Promise<void>} refresh */
export function refreshAfterActions(refresh) {
  refreshNow = refresh
}

/**
 * Runs an action of the user, reports its result, and refreshes the view.
 * @param {string} done what to say when it worked
 * @param {() => Promise<unknown>} work
 * @returns {Promise<boolean>} whether it worked
 */
export async function act(done, work) {
  try {
    await work()
    say(done, 'good')
    return true
  } catch (error) {
    say(error instanceof Refused ? error.message : 'The sandbox did not answer.', 'bad')
    return false
  } finally {
    await refreshNow()
  }
}

/** @type {ReturnType<typeof setTimeout> | undefined} */
let silence

/**
 * @param {string} text
 * @param {'good' | 'bad'} mood
 */
export function say(text, mood) {
  const says = /** @type {HTMLElement} */ (document.getElementById('says'))
  says.textContent = text
  says.dataset.mood = mood
  clearTimeout(silence)
  silence = setTimeout(() => {
    says.textContent = ''
  }, 6_000)
}
