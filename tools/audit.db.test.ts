import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { after, before, test as it } from 'node:test'
import { type TestDatabase, testDatabase } from '../apps/server/src/infra/testing/database.ts'
import { newId } from '../apps/server/src/kernel/id.ts'

const TOOL = join(import.meta.dirname, 'audit.ts')

let test: TestDatabase
before(async () => {
  test = await testDatabase()
})
after(() => test.close())

interface Outcome {
  readonly code: number | string | null
  readonly stdout: string
  readonly stderr: string
}

const audit = (url: string): Promise<Outcome> =>
  new Promise((resolve) => {
    const env = { ...process.env, DATABASE_URL: url }
    execFile(process.execPath, [TOOL], { env, timeout: 60_000 }, (error, stdout, stderr) =>
      resolve({ code: error ? (error.code ?? null) : 0, stdout, stderr }),
    )
  })

it('says that the books are right, and exits with 0', async () => {
  assert.deepEqual(await audit(test.url), {
    code: 0,
    stdout: 'The books are right.\n',
    stderr: '',
  })
})

it('names each broken promise, and exits with 1', async () => {
  const owner = newId()
  const set = (posted: number): Promise<void> =>
    test.db.script(`
      select ledger.open_account('${owner}', 'spot', 'USD');
      alter table ledger.balance disable trigger balance_guard;
      update ledger.balance set posted = ${posted} where account_id = ledger.account_of('${owner}', 'spot');
      alter table ledger.balance enable trigger balance_guard`)
  await set(7)
  const { code, stderr } = await audit(test.url)
  await set(0)
  assert.equal(code, 1)
  assert.match(stderr, /BROKEN {2}balance is the sum of its postings: account \d+: 7 posted/)
  assert.match(stderr, /BROKEN {2}all accounts of a currency sum to zero: USD: 7/)
})

it('exits with 2 when it cannot look', async () => {
  const nowhere = await audit('postgres://absent@127.0.0.1:1/none')
  assert.equal(nowhere.code, 2)
  assert.match(nowhere.stderr, /could not be read/)
})
