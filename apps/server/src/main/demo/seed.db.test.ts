import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, test } from 'node:test'
import { createKeyFinder, looksLikeKey } from '#identity'
import { sql } from '#infra/database/db'
import { systemClock as clock } from '#infra/process/clock'
import { createSecretBox } from '#infra/process/secrets'
import { testDatabase } from '#infra/testing/database'
import { readWallets } from '#ledger'
import { findEndpoint } from '#webhooks'
import { seedDemo } from './seed.ts'

const secrets = createSecretBox([randomBytes(32)])

async function emptyInstallation() {
  const { db, close } = await testDatabase()
  after(close)
  const seed = (demoUrl: string | null, allowPrivate = true) =>
    seedDemo({ db, clock, secrets, webhooks: { demoUrl, allowPrivate } })
  return { db, seed, findKey: createKeyFinder({ db, clock }) }
}

test('the demo has its inhabitants with money, and keys of the kinds that they are named for', async () => {
  const { db, seed, findKey } = await emptyInstallation()
  const demo = await seed(null)
  const kinds = []
  for (const secret of [demo.merchant.apiKey, demo.partner.apiKey, demo.partner.childApiKey]) {
    assert.ok(looksLikeKey(secret))
    kinds.push((await findKey(secret))?.kind)
  }
  assert.deepEqual(kinds, ['merchant', 'partner', 'child'])
  const merchant = await findKey(demo.merchant.apiKey)
  const wallets = await readWallets(db, [merchant?.accountId ?? ''])
  assert.deepEqual(wallets.map(({ kind, currency, balance }) => [kind, currency, balance]).sort(), [
    ['earnings', 'USD', 0n],
    ['spot', 'USD', 10_000_000n],
  ])
  assert.equal(demo.merchant.webhookSecret, null)
  assert.equal(await findEndpoint(db, merchant?.accountId ?? ''), null)
})

test('seeded again, also by several processes at once, it is one set with the same keys', async () => {
  const { db, seed } = await emptyInstallation()
  const seeded = await Promise.all(Array.from({ length: 4 }, () => seed(null)))
  seeded.push(await seed(null))
  for (const one of seeded) assert.deepEqual(one, seeded[0])
  const [row] = await db.query<{ count: number }>(
    sql('', `select count(*)::int count from identity.account where kind = 'merchant'`),
  )
  assert.equal(row?.count, 1)
})

test('a webhook endpoint is set at the first start, with the secret that demo.json shows, and not later', async () => {
  const { db, seed, findKey } = await emptyInstallation()
  const demo = await seed('http://127.0.0.1:9/hook')
  const merchantId = (await findKey(demo.merchant.apiKey))?.accountId ?? ''
  const endpoint = await findEndpoint(db, merchantId)
  assert.equal(endpoint?.url, 'http://127.0.0.1:9/hook')
  assert.match(demo.merchant.webhookSecret ?? '', /^whsec_/)
  assert.deepEqual(await seed('http://127.0.0.1:9/other'), demo)
  assert.equal((await findEndpoint(db, merchantId))?.url, 'http://127.0.0.1:9/hook')
})

test('a webhook address that is not allowed stops the start, and a better one repairs it', async () => {
  const { db, seed, findKey } = await emptyInstallation()
  await assert.rejects(seed('http://127.0.0.1:9/hook', false), {
    name: 'CannotStart',
    message: /^WEBHOOK_URL http:\/\/127\.0\.0\.1:9\/hook is not allowed/,
  })
  const demo = await seed('https://merchant.example/hook', false)
  const merchantId = (await findKey(demo.merchant.apiKey))?.accountId ?? ''
  assert.equal((await findEndpoint(db, merchantId))?.url, 'https://merchant.example/hook')
})

test('without the key of the installation its credentials cannot be read', async () => {
  const { db, seed } = await emptyInstallation()
  const demo = await seed(null)
  const [row] = await db.query<{ value: object }>(sql('', 'select value from infra.setting'))
  const kept = JSON.stringify(row?.value)
  for (const secret of [demo.merchant.apiKey, demo.merchant.password, demo.partner.password]) {
    assert.ok(!kept.includes(secret))
  }
  const other = createSecretBox([randomBytes(32)])
  await assert.rejects(
    seedDemo({ db, clock, secrets: other, webhooks: { demoUrl: null, allowPrivate: true } }),
    { name: 'CannotStart', message: /made under another SECRETS_KEY/ },
  )
})
