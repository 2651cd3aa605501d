// What all tests of a file read, made once before them.
import { after, before } from 'node:test'

/** What the runner gives to a test (`tools/test.ts`), less what the report of a failure takes. */
const TIMEOUT_MS = Number(process.env.TEST_TIMEOUT_SECONDS ?? Infinity) * 1000 - 10_000

/**
 * `begin` runs before the tests, `end` after them: also when `begin` has failed, and not before it has
 * settled. What it would start after its time is over would keep the file from ending.
 */
export function givenOnce(begin: () => Promise<void>, end: () => Promise<unknown>): void {
  let begun: Promise<void> = Promise.resolve()
  before(
    () => {
      begun = begin()
      return begun
    },
    { timeout: TIMEOUT_MS },
  )
  after(
    async () => {
      await begun.catch(() => {})
      await end()
    },
    { timeout: TIMEOUT_MS },
  )
}
