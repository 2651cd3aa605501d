import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Refusal } from '#kernel/refusal'
import { manualClock } from '../../infra/testing/clock.ts'
import { createTradeUrlResolver } from './resolve-trade-url.ts'
import { aPlatform, urlOf } from './testing/accounts.ts'
import { parseTradeUrl } from './trade-url.ts'

const LOOK_UP = { requestId: 'r', tenantId: 'a tenant' }
const HOST = 'steamcommunity.com'
const PAGE = `https://${HOST}/tradeoffer/new/`

describe('a trade URL is read', () => {
  const CANONICAL = `${PAGE}?partner=39734273&token=accept00`
  const READ = [
    CANONICAL,
    `https://www.${HOST}/tradeoffer/new/?partner=39734273&token=accept00`,
    `https://${HOST}/tradeoffer/new?partner=39734273&token=accept00`,
    `${PAGE}?token=accept00&partner=39734273`,
  ]
  for (const text of READ) {
    test(text, () => {
      assert.deepEqual(parseTradeUrl(text, HOST), {
        partner: 39_734_273,
        token: 'accept00',
        platformId: '76561198000000001',
        canonical: CANONICAL,
      })
    })
  }

  test('with the smallest and the largest partner there can be', () => {
    assert.equal(
      parseTradeUrl(`${PAGE}?partner=1&token=aB3_-xyz`, HOST)?.platformId,
      '76561197960265729',
    )
    assert.equal(
      parseTradeUrl(`${PAGE}?partner=4294967295&token=aB3_-xyz`, HOST)?.platformId,
      '76561202255233023',
    )
  })

  test('under another host when that is the setting', () => {
    const text = 'https://platform.example/tradeoffer/new/?partner=5&token=accept00'
    assert.equal(parseTradeUrl(text, 'platform.example')?.canonical, text)
    assert.equal(parseTradeUrl(CANONICAL, 'platform.example'), null)
  })
})

describe('a trade URL is not read', () => {
  const NOT_READ: Record<string, string> = {
    empty: '',
    'no URL': 'partner=1&token=accept00',
    http: `http://${HOST}/tradeoffer/new/?partner=1&token=accept00`,
    'another host': 'https://example.com/tradeoffer/new/?partner=1&token=accept00',
    'a host that ends like it': `https://evil${HOST}/tradeoffer/new/?partner=1&token=accept00`,
    'a host that begins like it': `https://${HOST}.evil.com/tradeoffer/new/?partner=1&token=accept00`,
    'another subdomain': `https://store.${HOST}/tradeoffer/new/?partner=1&token=accept00`,
    'a host behind a user': `https://${HOST}@evil.com/tradeoffer/new/?partner=1&token=accept00`,
    'a user before the host': `https://user@${HOST}/tradeoffer/new/?partner=1&token=accept00`,
    'a port': `https://${HOST}:8443/tradeoffer/new/?partner=1&token=accept00`,
    'another path': `https://${HOST}/tradeoffer/?partner=1&token=accept00`,
    'a path that goes on': `https://${HOST}/tradeoffer/new/x?partner=1&token=accept00`,
    'a path by way of another': `https://${HOST}/x/../tradeoffer/new/y?partner=1&token=accept00`,
    'no partner': `${PAGE}?token=accept00`,
    'no token': `${PAGE}?partner=1`,
    'partner zero': `${PAGE}?partner=0&token=accept00`,
    'a partner with a leading zero': `${PAGE}?partner=01&token=accept00`,
    'a negative partner': `${PAGE}?partner=-1&token=accept00`,
    'a partner above 32 bits': `${PAGE}?partner=4294967296&token=accept00`,
    'a partner in exponents': `${PAGE}?partner=1e5&token=accept00`,
    'a token of 7': `${PAGE}?partner=1&token=accept0`,
    'a token of 9': `${PAGE}?partner=1&token=accept000`,
    'a token of other characters': `${PAGE}?partner=1&token=accept0%2B`,
    'two partners': `${PAGE}?partner=1&partner=2&token=accept00`,
    'two tokens': `${PAGE}?partner=1&token=accept00&token=accept01`,
    'another parameter': `${PAGE}?partner=1&token=accept00&x=1`,
    'a fragment': `${PAGE}?partner=1&token=accept00#x`,
    'a space in front': ` ${PAGE}?partner=1&token=accept00`,
    'a line break inside': `${PAGE}?partner=1&to\nken=accept00`,
    backslashes: `https:\\\\${HOST}\\tradeoffer\\new\\?partner=1&token=accept00`,
    'too long': `${PAGE}?partner=1&token=accept00&${'x'.repeat(300)}`,
  }
  for (const [name, text] of Object.entries(NOT_READ)) {
    test(name, () => assert.equal(parseTradeUrl(text, HOST), null))
  }
})

describe('resolving', () => {
  const clock = manualClock()
  const resolver = (platform: ReturnType<typeof aPlatform>) =>
    createTradeUrlResolver({ platform, clock, communityHost: HOST })
  const refusal = (key: string) => (error: unknown) => error instanceof Refusal && error.key === key

  test('answers the canonical URL, who is behind it and what holds', async () => {
    const resolved = await resolver(aPlatform())(
      `https://www.${HOST}/tradeoffer/new?partner=7&token=accept00`,
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
      const { errors } = error.facts as { errors: { pointer: string }[] }
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
    await resolve(urlOf(7), LOOK_UP)
    assert.equal(platform.asked.length, 1)
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
      assert.deepEqual(error.facts, { retryAfterSeconds: 2 })
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
