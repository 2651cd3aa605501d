import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Refusal } from '#kernel/refusal'
import { manualClock } from '../../../infra/testing/clock.ts'
import { createTradeUrlResolver } from './resolve-trade-url.ts'
import { aPlatform, readTradeUrl, urlOf } from './testing/accounts.ts'

const LOOK_UP = { requestId: 'r', tenantId: 'a tenant' }

describe('resolving', () => {
  const clock = manualClock()
  const resolver = (platform: ReturnType<typeof aPlatform>) =>
    createTradeUrlResolver({ platform, clock, readTradeUrl })
  const refusal = (key: string) => (error: unknown) => error instanceof Refusal && error.key === key

  test('answers the canonical URL, who is behind it and what holds', async () => {
    const resolved = await resolver(aPlatform())(
      `https://www.steamcommunity.com/tradeoffer/new?partner=7&token=accept00`,
      LOOK_UP,
    )
    assert.equal(resolved.url, urlOf(7))
    assert.equal(resolved.platformId, '76561197960265735')
    assert.equal(resolved.persona.personaName, 'Persona 7')
  })

  test('of another form is VALIDATION_FAILED at the field it came from, and the platform is not called', async () => {
    const platform = aPlatform()
    await assert.rejects(resolver(platform)('nonsense', LOOK_UP, '/url'), (error) => {
      assert.ok(error instanceof Refusal)
      assert.equal(error.key, 'VALIDATION_FAILED')
      const { errors } = error.details as { errors: { pointer: string }[] }
      assert.equal(errors[0]?.pointer, '/url')
      return true
    })
    assert.deepEqual(platform.asked, [])
  })

  test('is remembered for ten minutes', async () => {
    const platform = aPlatform()
    const resolve = resolver(platform)
    await resolve(urlOf(7), LOOK_UP)
    clock.advance(599_999)
    await resolve(` ${urlOf(7)}&l=english#x`, LOOK_UP)
    assert.equal(platform.asked.length, 1, 'in any spelling')
    clock.advance(1)
    await resolve(urlOf(7), LOOK_UP)
    assert.equal(platform.asked.length, 2)
  })

  test('at once for one URL is one question', async () => {
    const platform = aPlatform()
    const resolve = resolver(platform)
    await Promise.all(Array.from({ length: 20 }, () => resolve(urlOf(7), LOOK_UP)))
    assert.equal(platform.asked.length, 1)
  })

  test('what the platform refuses is 1413, and asked again next time', async () => {
    const platform = aPlatform({ privat00: { kind: 'refused', detail: 'private' } })
    const resolve = resolver(platform)
    for (let i = 1; i <= 2; i++) {
      await assert.rejects(
        resolve(urlOf(7, 'privat00'), LOOK_UP),
        refusal('TRADEURL_INVALID_TOKEN'),
      )
      assert.equal(platform.asked.length, i)
    }
  })

  test('while the platform is away is PLATFORM_UNAVAILABLE, and not remembered', async () => {
    const platform = aPlatform({ accept00: { kind: 'unavailable', detail: 'timeout' } })
    const resolve = resolver(platform)
    await assert.rejects(resolve(urlOf(7), LOOK_UP), refusal('PLATFORM_UNAVAILABLE'))
    await assert.rejects(resolve(urlOf(7), LOOK_UP), refusal('PLATFORM_UNAVAILABLE'))
    assert.equal(platform.asked.length, 2)
  })

  test('beyond the share of its tenant is PLATFORM_UNAVAILABLE, with the time to wait', async () => {
    const answer = { kind: 'unavailable', detail: 'no turn', retryAfterMs: 1200 } as const
    const resolve = resolver(aPlatform({ accept00: answer }))
    await assert.rejects(resolve(urlOf(7), LOOK_UP), (error) => {
      assert.ok(error instanceof Refusal && error.key === 'PLATFORM_UNAVAILABLE')
      assert.deepEqual(error.details, { retryAfterSeconds: 2 })
      return true
    })
  })

  test('an answer about another account is not believed', async () => {
    const persona = {
      platformId: '76561197960265999',
      personaName: 'Another person',
      avatarUrl: '',
      profileUrl: '',
    }
    const platform = aPlatform({
      accept00: { kind: 'resolved', persona, holdDays: 0, probation: false },
    })
    await assert.rejects(resolver(platform)(urlOf(7), LOOK_UP), refusal('PLATFORM_UNAVAILABLE'))
  })

  test('does not remember more than ten thousand', async () => {
    const platform = aPlatform()
    const resolve = resolver(platform)
    for (let i = 1; i <= 10_001; i++) await resolve(urlOf(i), LOOK_UP)
    await resolve(urlOf(2), LOOK_UP)
    assert.equal(platform.asked.length, 10_001)
    await resolve(urlOf(1), LOOK_UP)
    assert.equal(platform.asked.length, 10_002)
  })
})
