// The promises of the identity port, tried on an adapter against a living community site.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { newId } from '#kernel/id'
import type { GamePlatform, ParsedTradeUrl, TradeUrlAnswer } from '#ports/identity'

export interface PlatformUnderTest {
  readonly platform: GamePlatform
  /** The same adapter pointed at a closed port. */
  readonly astray: GamePlatform
  setOnline(online: boolean): Promise<void>
}

const CONTEXT = { requestId: 'conformance', tenantId: newId() }

export function platformConformance(name: string, setUp: () => PlatformUnderTest): void {
  describe(name, { concurrency: 1 }, () => {
    const resolve = (token: string, partner = 4_242): Promise<TradeUrlAnswer> =>
      setUp().platform.resolveTradeUrl(tradeUrl(partner, token), CONTEXT)

    test('a good trade URL resolves to its persona', async () => {
      const answer = await resolve('accept00')
      assert.ok(answer.kind === 'resolved')
      const { persona, holdDays, probation } = answer
      assert.equal(persona.platformId, '76561197960269970')
      assert.ok(persona.personaName.length > 0)
      assert.match(persona.avatarUrl, /^https:\/\//)
      assert.equal(persona.profileUrl, 'https://community.example/profiles/76561197960269970')
      assert.deepEqual([holdDays, probation], [0, false])
    })

    test('different accounts are different personas, the same one is always the same', async () => {
      const [one, two, again] = await Promise.all([
        resolve('accept00', 1),
        resolve('accept00', 2),
        resolve('declin00', 1),
      ])
      assert.notDeepEqual(one, two)
      assert.deepEqual(one, again)
    })

    test('a hold of the platform is reported in days', async () => {
      const answer = await resolve('holdup00')
      assert.equal(answer.kind === 'resolved' && answer.holdDays, 15)
    })

    test('a private inventory and a URL that is no longer valid are refused', async () => {
      assert.equal((await resolve('privat00', 77)).kind, 'refused')
      assert.equal((await resolve('x')).kind, 'refused')
    })

    test('a platform that is away is not the fault of the URL', async () => {
      const { astray, setOnline } = setUp()
      const url = tradeUrl(4_242, 'accept00')
      assert.equal((await astray.resolveTradeUrl(url, CONTEXT)).kind, 'unavailable')
      await setOnline(false)
      try {
        assert.equal((await resolve('accept00')).kind, 'unavailable')
      } finally {
        await setOnline(true)
      }
      assert.equal((await resolve('accept00')).kind, 'resolved')
    })
  })
}

function tradeUrl(partner: number, token: string): ParsedTradeUrl {
  return {
    partner,
    token,
    platformId: String(76_561_197_960_265_728n + BigInt(partner)),
    canonical: `https://community.example/tradeoffer/new/?partner=${partner}&token=${token}`,
  }
}
