import assert from 'node:assert/strict'
import { test } from 'node:test'
import { manualClock } from '#infra/testing/clock'
import { newId } from '#kernel/id'
import { Refusal } from '#kernel/refusal'
import type { KeyAuthenticatorDeps } from '../shared/key-authenticator.ts'
import type { KeyRecord } from '../shared/ports.ts'
import { KEY, keyRecord, MERCHANT_ID } from '../shared/testing/server.ts'
import { createAuthenticator } from './authenticate.ts'

const NOW = new Date('2026-11-21T12:00:00Z')

function setUp({
  record = {},
  ...change
}: { record?: Partial<KeyRecord> | null } & Partial<KeyAuthenticatorDeps> = {}) {
  const clock = manualClock(NOW)
  const asked: string[] = []
  const answer = record === null ? null : keyRecord(record)
  const { authenticate, forgetKeys } = createAuthenticator({
    findKey: async (secret) => {
      asked.push(secret)
      return answer
    },
    looksLikeKey: (secret) => secret.startsWith('tp_test_'),
    clock,
    ...change,
  })
  const ask = async (headers: Record<string, string> = { 'api-key': KEY }, ip = '203.0.113.9') => {
    try {
      return (await authenticate({ headers, ip })).tenant.id
    } catch (error) {
      if (error instanceof Refusal) return error.key
      throw error
    }
  }
  return { ask, asked, clock, forgetKeys, authenticate }
}

/** A store that answers the first question at once, and the others when it is made to. */
function setUpPending(change: Partial<KeyAuthenticatorDeps> = {}) {
  const pending: PromiseWithResolvers<KeyRecord>[] = []
  const asked: string[] = []
  const set = setUp({
    ...change,
    findKey: async (secret) => {
      if (asked.push(secret) === 1) return keyRecord()
      const question = Promise.withResolvers<KeyRecord>()
      pending.push(question)
      return question.promise
    },
  })
  const next = (): PromiseWithResolvers<KeyRecord> => pending.shift() ?? assert.fail('not asked')
  /** The end of what follows in this turn. */
  const settled = (): Promise<void> => new Promise(setImmediate)
  return {
    ...set,
    asked,
    answer: (record: KeyRecord) => {
      next().resolve(record)
      return settled()
    },
    fail: () => {
      next().reject(new Error('connection lost'))
      return settled()
    },
    isRemembered: () =>
      !(set.authenticate({ headers: { 'api-key': KEY }, ip: '' }) instanceof Promise),
  }
}

test('a known key opens its merchant', async () => {
  assert.equal(await setUp().ask(), MERCHANT_ID)
})

test('denials come in the order missing, unknown, revoked, address, suspended', async () => {
  const worst = { revoked: true, allowlist: ['10.0.0.1'], accountStatus: 'suspended' } as const
  const steps: [Partial<KeyRecord> | null, Record<string, string>, string][] = [
    [worst, {}, 'MISSING_API_KEY'],
    [null, { 'api-key': KEY }, 'INVALID_API_KEY'],
    [worst, { 'api-key': KEY }, 'API_KEY_REVOKED'],
    [{ ...worst, revoked: false }, { 'api-key': KEY }, 'API_KEY_IP_DENIED'],
    [{ accountStatus: 'suspended' }, { 'api-key': KEY }, 'ACCOUNT_SUSPENDED'],
    [{}, { 'api-key': KEY }, MERCHANT_ID],
  ]
  for (const [record, headers, expected] of steps) {
    assert.equal(await setUp({ record }).ask(headers), expected)
  }
})

test('the partner header alone is a missing key, both headers together an invalid one', async () => {
  const { ask, asked } = setUp()
  assert.equal(await ask({ 'x-api-key': KEY }), 'MISSING_API_KEY')
  assert.equal(await ask({ 'api-key': KEY, 'x-api-key': KEY }), 'INVALID_API_KEY')
  assert.equal(await ask({ 'api-key': '' }), 'MISSING_API_KEY')
  assert.deepEqual(asked, [])
})

test('a secret that cannot be a key is refused without asking the store', async () => {
  const { ask, asked } = setUp()
  assert.equal(await ask({ 'api-key': 'junk' }), 'INVALID_API_KEY')
  assert.deepEqual(asked, [])
})

test('a partner key, a child key and a key of a deleted account are invalid here', async () => {
  for (const record of [
    { kind: 'partner' },
    { kind: 'child' },
    { accountStatus: 'deleted' },
  ] as const) {
    assert.equal(await setUp({ record }).ask(), 'INVALID_API_KEY')
  }
})

test('a rotated key works until its overlap ends and is revoked from then on', async () => {
  const { ask, clock } = setUp({ record: { expiresAt: new Date(NOW.getTime() + 1000) } })
  assert.equal(await ask(), MERCHANT_ID)
  clock.advance(1000)
  assert.equal(await ask(), 'API_KEY_REVOKED')
})

test('an allowlist takes addresses and blocks of both families', async () => {
  const table: [string[], string, boolean][] = [
    [['203.0.113.9'], '203.0.113.9', true],
    [['203.0.113.9/32'], '203.0.113.10', false],
    [['203.0.113.0/24'], '203.0.113.200', true],
    [['203.0.113.0/24'], '::ffff:203.0.113.200', true],
    [['203.0.113.0/24'], '::ffff:203.0.114.1', false],
    [['2001:db8::/32'], '2001:db8:1::5', true],
    [['2001:db8::/32'], '2001:db9::1', false],
    [['10.0.0.0/8', '2001:db8::1'], '2001:db8::1', true],
    [['0.0.0.0/0'], '198.51.100.1', true],
    [['no address', '10.0.0.0/99', ''], '10.0.0.1', false],
    [['10.0.0.0/8'], 'unknown', false],
    [['10.0.0.0/8'], '10.0.0.1, 10.0.0.2', false],
  ]
  for (const [allowlist, ip, admitted] of table) {
    const answer = await setUp({ record: { allowlist } }).ask({ 'api-key': KEY }, ip)
    assert.equal(answer, admitted ? MERCHANT_ID : 'API_KEY_IP_DENIED', `${allowlist} ${ip}`)
  }
})

test('a key is remembered for five seconds at the most', async () => {
  const { ask, clock, isRemembered } = setUpPending({ rememberMs: 60_000 })
  await ask()
  clock.advance(4999)
  assert.ok(isRemembered())
  clock.advance(1)
  assert.ok(!isRemembered())
})

test('a key in use is asked for again when half of its time is over, and no request waits for it', async () => {
  const { ask, asked, answer, clock, isRemembered } = setUpPending()
  await ask()
  clock.advance(2499)
  assert.ok(isRemembered())
  assert.equal(asked.length, 1)
  clock.advance(1)
  assert.ok(isRemembered())
  assert.ok(isRemembered())
  assert.equal(asked.length, 2)
  await answer(keyRecord())
  clock.advance(2500)
  assert.ok(isRemembered())
  await answer(keyRecord({ revoked: true }))
  assert.equal(await ask(), 'API_KEY_REVOKED')
})

test('a key that cannot be asked for again is good until its time is over', async () => {
  const { ask, fail, clock, isRemembered } = setUpPending()
  await ask()
  clock.advance(2500)
  assert.ok(isRemembered())
  await fail()
  assert.ok(isRemembered())
  clock.advance(2500)
  assert.ok(!isRemembered())
})

test('a change of keys is seen by the next request', async () => {
  const { ask, asked, forgetKeys } = setUp()
  await ask()
  forgetKeys()
  await ask()
  assert.equal(asked.length, 2)
  forgetKeys(keyRecord().keyId)
  await ask()
  assert.equal(asked.length, 3)
})

test('a change of one key lets the others be remembered', async () => {
  const { ask, asked, forgetKeys } = setUp()
  await ask()
  forgetKeys(newId())
  await ask()
  assert.equal(asked.length, 1)
})

test('an answer that was on its way when keys changed is not remembered', async () => {
  const answers: ((record: KeyRecord) => void)[] = []
  const { ask, forgetKeys } = setUp({
    findKey: () => new Promise((resolve) => answers.push(resolve)),
  })
  const early = ask()
  forgetKeys()
  const late = ask()
  assert.equal(answers.length, 2)
  answers[1]?.(keyRecord({ revoked: true }))
  assert.equal(await late, 'API_KEY_REVOKED')
  answers[0]?.(keyRecord())
  assert.equal(await early, MERCHANT_ID)
  assert.equal(await ask(), 'API_KEY_REVOKED')
})

test('requests of one moment share one question to the store', async () => {
  const { ask, asked } = setUp()
  await Promise.all([ask(), ask(), ask()])
  assert.equal(asked.length, 1)
})

test('a store that fails is asked again', async () => {
  let calls = 0
  const { ask } = setUp({
    findKey: async () => {
      if (++calls === 1) throw new Error('connection lost')
      return keyRecord()
    },
  })
  await assert.rejects(ask(), /connection lost/)
  assert.equal(await ask(), MERCHANT_ID)
})

test('the memory is bounded, and guesses never enter it', async () => {
  const asked: string[] = []
  const { ask } = setUp({
    maxRemembered: 2,
    findKey: async (secret) => {
      asked.push(secret)
      return secret.includes('guess') ? null : keyRecord()
    },
  })
  await ask({ 'api-key': 'tp_test_1' })
  await ask({ 'api-key': 'tp_test_2' })
  for (let i = 0; i < 5; i++) await ask({ 'api-key': `tp_test_guess${i}` })
  asked.length = 0
  await ask({ 'api-key': 'tp_test_1' })
  await ask({ 'api-key': 'tp_test_2' })
  assert.deepEqual(asked, [])
  await ask({ 'api-key': 'tp_test_3' })
  await ask({ 'api-key': 'tp_test_1' })
  assert.deepEqual(asked, ['tp_test_3', 'tp_test_1'])
})
