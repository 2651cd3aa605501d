import assert from 'node:assert/strict'
import { it } from 'node:test'
import { listWaitingMail, queueNotice } from '#mail'
import { manualClock } from '../infra/testing/clock.ts'
import { testDatabase } from '../infra/testing/database.ts'
import { createGiveUpMail } from './send-mail.ts'

const AT = new Date('2026-11-21T12:00:00.000Z')
const DAY_MS = 24 * 3_600_000

it('a message that nothing sends for a day ends, without its facts', async (t) => {
  const { db, close } = await testDatabase()
  t.after(close)
  const clock = manualClock(AT)
  const { work } = createGiveUpMail({ db, clock })
  const run = { signal: AbortSignal.any([]), processId: 'test', reportLag: () => {} }
  const queue = (to: string) =>
    db.transaction((tx) =>
      queueNotice(tx, {
        ...{ to, template: 'factor_kept', at: clock.now() },
        facts: { at: clock.now().toISOString() },
      }),
    )
  const waiting = async () =>
    (await listWaitingMail(db, { at: clock.now(), limit: 10 })).map(({ since }) => since.getTime())
  await queue('old@example.com')
  clock.advance(DAY_MS)
  await queue('new@example.com')
  assert.equal(await work(run), false)
  assert.equal((await waiting()).length, 2)
  clock.advance(1)
  await work(run)
  assert.deepEqual(await waiting(), [AT.getTime() + DAY_MS])
})
