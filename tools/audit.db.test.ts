import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { after, before, test as it } from 'node:test'
import { type TestDatabase, testDatabase } from '../apps/server/src/infra/testing/database.ts'
import { baseUnits } from '../apps/server/src/kernel/chain.ts'
import { newId } from '../apps/server/src/kernel/id.ts'
import { aMerchant } from '../apps/server/src/modules/accounts/identity/testing/accounts.ts'
import { post } from '../apps/server/src/modules/money/custody/index.ts'

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
  const id = newId()
  await test.db.script(`
    insert into chains.address (id, owner_id, purpose, hd_index, address, created_at)
      values ('${id}', '${owner}', 'deposit', 7, '0x' || repeat('7', 40), now());
    insert into chains.sweep (id, address_id, chain, token, units, gas_units, target, target_role, state, began_at, ended_at)
      values ('${id}', '${id}', 'base', 'NATIVE', 1, 0, '0x', 'treasury', 'swept', now(), now());
    insert into chains.dust_batch (id, address_id, chain, token, units, created_at)
      values ('${id}', '${id}', 'base', 'NATIVE', 1, now());
    insert into chains.dust_sum (id, address_id, chain, token, units) values ('${id}', '${id}', 'base', 'NATIVE', 1)`)
  const { code, stderr } = await audit(test.url)
  await set(0)
  await test.db.script(
    'delete from chains.sweep; delete from chains.dust_batch; delete from chains.dust_sum',
  )
  assert.equal(code, 1)
  assert.match(stderr, /BROKEN {2}balance is the sum of its postings: account \d+: 7 posted/)
  assert.match(stderr, /BROKEN {2}all accounts of a currency sum to zero: USD: 7/)
  assert.ok(stderr.includes(`BROKEN  a sweep moves no more than its transfers brought: ${id}`))
  assert.ok(stderr.includes(`BROKEN  a batch of small transfers is their sum: ${id}`))
  assert.ok(stderr.includes(`BROKEN  a sum of small transfers is what waits: ${id}`))
})

it('names a deleted account that has something open, whichever module knows of it', async () => {
  const { id } = await aMerchant(test.db)
  const arrived = {
    ...{ key: `test:${newId()}`, reason: 'deposit', refId: null, chain: 'base', token: 'USDC' },
    ...({ debit: 'deposit_address', credit: { role: 'merchant', ownerId: id } } as const),
    units: baseUnits(7n),
  } as const
  await test.db.transaction((tx) => post(tx, [arrived], new Date()))
  assert.equal((await audit(test.url)).code, 0)
  // No way of the service leads here.
  const set = (status: string, deletedAt: string): Promise<void> =>
    test.db.script(`
      update identity.account set status = '${status}', deleted_at = ${deletedAt} where id = '${id}'`)
  await set('deleted', 'now()')
  const found = await audit(test.url)
  await set('active', 'null')
  assert.deepEqual(found, {
    code: 1,
    stdout: '1 broken promises of the books.\n',
    stderr: `BROKEN  a deleted account has nothing open: ${id}\n`,
  })
})

it('exits with 2 when it cannot look', async () => {
  const nowhere = await audit('postgres://absent@127.0.0.1:1/none')
  assert.equal(nowhere.code, 2)
  assert.match(nowhere.stderr, /could not be read/)
})
