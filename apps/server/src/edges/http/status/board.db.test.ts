import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { systemClock } from '#infra/process/clock'
import { silentLog } from '#infra/process/log'
import { type TestDatabase, testDatabase } from '#infra/testing/database'
import { until } from '#infra/testing/until'
import { judge, type Period, type Reading } from '#status'
import { type Board, type BoardFile, openBoard } from './board.ts'

let database: TestDatabase
before(async () => {
  database = await testDatabase()
})
after(() => database.close())

const trading = (reason: string | null): Reading => ({
  ...{ component: 'trading', name: '', reason },
  status: reason === null ? 'operational' : 'paused',
})
const looks = (reading: Reading) =>
  database.db.transaction((tx) =>
    judge(tx, { readings: [reading], figures: [], silenceMs: 60_000, at: systemClock.now() }),
  )

function memoryFile(text: string | null = null): BoardFile & { text: string | null } {
  const file = {
    text,
    read: () => file.text,
    write: (next: string) => {
      file.text = next
    },
  }
  return file
}

interface Opened {
  readonly board: Board
  readonly changes: Period[]
}
const opened = ({
  db = database.db as Parameters<typeof openBoard>[0]['db'],
  file = memoryFile() as BoardFile,
} = {}): Opened => {
  const changes: Period[] = []
  const onChange = (change: Period) => void changes.push(change)
  const clock = systemClock
  return { board: openBoard({ db, clock, log: silentLog, file, onChange }), changes }
}
const statusOf = ({ board }: Opened) => board.known()?.components[0]?.status

/** A database that is away. */
const away = {
  query: () => Promise.reject(new Error('the database is away')),
} as never

describe('the board', () => {
  it('that was opened before the first judgement has the days of each part as soon as it knows the part', async () => {
    const one = opened()
    try {
      await until('nothing is known yet', () => one.board.known()?.components.length === 0)
      await looks(trading(null))
      const shown = await until('the part is known', () => one.board.known()?.components[0])
      assert.equal(shown.days.length, 90)
      assert.equal(shown.days.at(-1)?.status, 'operational')
      assert.deepEqual(one.changes, [])
    } finally {
      await one.board.stop()
    }
  })

  it('follows what is judged, and reports each change once', async () => {
    await looks(trading(null))
    const one = opened()
    try {
      await until('the status is known', () => statusOf(one) === 'operational')
      await looks(trading('maintenance'))
      await until('the pause is known', () => statusOf(one) === 'paused')
      await looks(trading(null))
      await until('the end is known', () => statusOf(one) === 'operational')
      assert.deepEqual(
        one.changes.map(({ status, reason }) => [status, reason]),
        [
          ['paused', 'maintenance'],
          ['operational', null],
        ],
      )
      assert.equal(one.board.known()?.components[0]?.days.length, 90)
    } finally {
      await one.board.stop()
    }
  })

  it('begins with what an earlier process has kept, and keeps that while the database is away', async () => {
    const file = memoryFile()
    await looks(trading('maintenance'))
    const earlier = opened({ file })
    await until('it is kept', () => file.text)
    const known = earlier.board.known()
    await earlier.board.stop()
    const later = opened({ file, db: away })
    try {
      const { components, readAt } = later.board.known() ?? assert.fail('nothing is known')
      assert.deepEqual(components, known?.components)
      assert.ok(readAt.getTime() <= (known?.readAt.getTime() ?? 0))
    } finally {
      await later.board.stop()
    }
  })

  it('does without a file that cannot be used', async () => {
    for (const text of ['{', 'null', '{"components":1}']) {
      const one = opened({ db: away, file: memoryFile(text) })
      assert.equal(one.board.known(), null)
      await one.board.stop()
    }
    const one = opened({
      file: {
        read: () => null,
        write: () => {
          throw new Error('read-only file system')
        },
      },
    })
    try {
      await until('the status is known', () => one.board.known())
    } finally {
      await one.board.stop()
    }
  })
})
