// The setting of most tests of deposits: one database for the file, scripted providers and a clock anew for
// each test, and books that are right after it.
import assert from 'node:assert/strict'
import { after, afterEach, beforeEach } from 'node:test'
import { type ManualClock, manualClock } from '../../../../infra/testing/clock.ts'
import { type TestDatabase, testDatabase } from '../../../../infra/testing/database.ts'
import { forgetOrders, givenDeposits } from './depositors.ts'

export type Deposits = ReturnType<typeof givenDeposits>

/** `begin` is called before each test. */
export async function useDeposits(
  begin: (given: { readonly clock: ManualClock; readonly a: Deposits }) => void,
): Promise<TestDatabase> {
  const test = await testDatabase()
  after(test.close)
  let a: Deposits
  beforeEach(async () => {
    await forgetOrders(test.db)
    const clock = manualClock()
    a = givenDeposits(test.db, clock)
    begin({ clock, a })
  })
  afterEach(async () => assert.deepEqual(await a.audit(), []))
  return test
}
