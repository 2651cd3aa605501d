import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readTradeLink } from './trade-links.ts'

const platformId = '76561197960269970'
const profileUrl = `https://community.example/profiles/${platformId}`
const read = (body: unknown, status = 200) =>
  readTradeLink({ status, body }, { platformId, profileUrl })
const GOOD = { success: true, token: 'accept00', steamid32: '4242', steamid64: platformId }

test('a link that can be used is an account without a name and a picture', () => {
  assert.deepEqual(read(GOOD), {
    kind: 'resolved',
    persona: { platformId, personaName: platformId, avatarUrl: '', profileUrl },
    holdDays: 0,
    probation: false,
  })
})

for (const body of [
  { success: false, msg: 'Invalid tradelink' },
  { success: false, msg: "We couldn't validate your trade link, either your inventory is private" },
  { ...GOOD, info: 'User has VACBAN or Game Ban' },
]) {
  test(`refused: ${JSON.stringify(body)}`, () => assert.equal(read(body).kind, 'refused'))
}

for (const [body, status] of [
  [{ ...GOOD, steamid64: '76561197960269971' }, 200],
  [{ ...GOOD, steamid64: undefined }, 200],
  [{ ...GOOD, info: "You're banned for not accepting trades" }, 200],
  [{ ...GOOD, info: 'A sentence that no table knows' }, 200],
  [{ success: false, msg: 'wrong api' }, 200],
  [{ success: false }, 200],
  [{}, 200],
  [[], 200],
  [undefined, 200],
  [GOOD, 500],
  [GOOD, 429],
  ['<html>', 403],
] as const) {
  test(`neither good nor refused: ${status} ${JSON.stringify(body)}`, () => {
    assert.equal(read(body, status).kind, 'unavailable')
  })
}
