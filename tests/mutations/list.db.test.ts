// Each guard of the list is there to be taken away: one that a migration has written otherwise would end
// `npm run mutations` before its turn.
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import pg from 'pg'
import { type TestDatabase, testDatabase } from '../../apps/server/src/infra/testing/database.ts'
import { MUTATIONS } from './list.ts'
import { takeAway } from './mutation.ts'

let database: TestDatabase
let client: pg.Client

before(async () => {
  database = await testDatabase({ poolSize: 1 })
  client = new pg.Client({ connectionString: database.url })
  await client.connect()
})
after(async () => {
  await client.end()
  await database.close()
})

it('each guard of the list is in the database', async () => {
  const missing: string[] = []
  for (const mutation of MUTATIONS) {
    await client.query('begin')
    await takeAway(client, mutation).catch((error: Error) =>
      missing.push(`${mutation.name}: ${error.message}`),
    )
    await client.query('rollback')
  }
  assert.deepEqual(missing, [])
})

it('no two guards of the list have one name', () => {
  const names = MUTATIONS.map(({ name }) => name)
  assert.deepEqual(
    names.filter((name, i) => names.indexOf(name) !== i),
    [],
  )
})
