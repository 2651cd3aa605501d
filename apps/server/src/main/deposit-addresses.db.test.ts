import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { createAddressFor } from '#chains'
import { sql } from '#infra/database/db'
import type { Intent } from '#infra/process/intent-files'
import { newId } from '#kernel/id'
import { createAddressDeriver } from '../adapters/hd-addresses/index.ts'
import { manualClock } from '../infra/testing/clock.ts'
import { testDatabase } from '../infra/testing/database.ts'
import { refuseOtherXpub } from './deposit-addresses.ts'
import { createOwnerAddress } from './parts/chains.ts'
import { depositXpubOf, readWalletSeed } from './wallet-seed.ts'

const { db, close } = await testDatabase({ poolSize: 20 })
const folder = mkdtempSync(join(tmpdir(), 'tradepost-seed-'))
after(() => rmSync(folder, { recursive: true }))
after(close)

const words = readWalletSeed(folder)
const deriver = createAddressDeriver(depositXpubOf(words))
const addressFor = createAddressFor({ deriver, clock: manualClock() })
const give = (ownerId: string, purpose: 'deposit' | 'payout_custody' = 'deposit') =>
  db.transaction((tx) => addressFor(tx, { ownerId, purpose }))

test('the words are made once, and only their owner can read them', () => {
  assert.equal(words.split(' ').length, 24)
  assert.equal(readWalletSeed(folder), words)
  assert.equal(statSync(join(folder, 'wallet-seed')).mode & 0o077, 0)
})

test('of thirty first requests at once one makes the address, and all get it', async () => {
  const ownerId = newId()
  const given = await Promise.all(Array.from({ length: 30 }, () => give(ownerId)))
  assert.equal(new Set(given).size, 1)
  assert.equal(await give(ownerId), given[0])
})

test('a new address is noted before it is handed out, one that was handed out before is not', async () => {
  const noted: unknown[] = []
  let isNoted = true
  const intents = {
    note: ({ address }: Intent) => {
      noted.push(address)
      return isNoted
    },
  }
  const adapters = { addresses: deriver, chains: ['ethereum'] }
  const handOut = createOwnerAddress({ db, clock: manualClock(), adapters, intents }, 'deposit')
  const ownerId = newId()
  const addresses = [await handOut?.(ownerId), await handOut?.(ownerId)]
  assert.deepEqual(noted, addresses.slice(1))
  isNoted = false
  await assert.rejects(async () => handOut?.(newId()), /not handed out/)
})

test('owners and purposes have addresses of their own', async () => {
  const [first, second] = [newId(), newId()]
  const given = [await give(first), await give(first, 'payout_custody'), await give(second)]
  assert.equal(new Set(given).size, 3)
})

test('an address is never changed or deleted', async () => {
  for (const attack of [
    'update chains.address set owner_id = uuidv7()',
    'delete from chains.address',
    'truncate chains.address cascade',
  ]) {
    await assert.rejects(db.query(sql('', attack)), /forbidden/)
  }
})

test('with the key of the addresses the service starts, with another it does not', async () => {
  await refuseOtherXpub(db, deriver)
  await refuseOtherXpub(db, null)
  const other = mkdtempSync(join(tmpdir(), 'tradepost-seed-'))
  try {
    const foreign = createAddressDeriver(depositXpubOf(readWalletSeed(other)))
    await assert.rejects(refuseOtherXpub(db, foreign), { name: 'CannotStart' })
  } finally {
    rmSync(other, { recursive: true })
  }
})
