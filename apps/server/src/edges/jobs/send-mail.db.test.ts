import assert from 'node:assert/strict'
import { it } from 'node:test'
import { listWaitingMail, queueNotice } from '#mail'
import { type Db, sql } from '../../infra/database/db.ts'
import { type ManualClock, manualClock } from '../../infra/testing/clock.ts'
import { testDatabase } from '../../infra/testing/database.ts'
import { createForgetMail, createGiveUpMail } from './send-mail.ts'

const AT = new Date('2026-11-21T12:00:00.000Z')
const DAY_MS = 24 * 3_600_000
const RUN = { signal: AbortSignal.any([]), processId: 'test' }

const queue = ({ db, clock }: { readonly db: Db; readonly clock: ManualClock }, to: string) =>
  db.transaction((tx) =>
    queueNotice(tx, {
      ...{ to, template: 'factor_kept', at: clock.now() },
      details: { at: clock.now().toISOString() },
    }),
  )

it('a message that nothing sends for a day ends, without its details', async (t) => {
  const { db, close } = await testDatabase()
  t.after(close)
  const clock = manualClock(AT)
  const { work } = createGiveUpMail({ db, clock })
  const waiting = async () =>
    (await listWaitingMail(db, { at: clock.now(), limit: 10 })).map(({ since }) => since.getTime())
  await queue({ db, clock }, 'old@example.com')
  clock.advance(DAY_MS)
  await queue({ db, clock }, 'new@example.com')
  assert.equal(await work(RUN), false)
  assert.equal((await waiting()).length, 2)
  clock.advance(1)
  await work(RUN)
  assert.deepEqual(await waiting(), [AT.getTime() + DAY_MS])
})

const RECIPIENTS = sql('test_recipients', 'select recipient from mail.message order by number')

it('a message that has ended is forgotten after 30 days, one that waits is not', async (t) => {
  const { db, close } = await testDatabase()
  t.after(close)
  const clock = manualClock(AT)
  const { work } = createForgetMail({ db, clock })
  const recipients = async () =>
    (await db.query<{ recipient: string }>(RECIPIENTS)).map(({ recipient }) => recipient)
  await queue({ db, clock }, 'ended@example.com')
  clock.advance(DAY_MS + 1)
  await createGiveUpMail({ db, clock }).work(RUN)
  await queue({ db, clock }, 'waits@example.com')
  clock.advance(29 * DAY_MS - 1)
  await work(RUN)
  assert.deepEqual(await recipients(), ['ended@example.com', 'waits@example.com'])
  clock.advance(5 * DAY_MS)
  assert.equal(await work(RUN), false)
  assert.deepEqual(await recipients(), ['waits@example.com'])
})
