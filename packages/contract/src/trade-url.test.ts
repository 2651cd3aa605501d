import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { TradeUrlText } from './primitives.ts'
import { compile, COMMUNITY_HOST as HOST } from './testing/validator.ts'
import { readTradeUrl } from './trade-url.ts'

const PAGE = `https://${HOST}/tradeoffer/new/`

describe('a trade URL is read, and has one canonical form', () => {
  const CANONICAL = `${PAGE}?partner=39734273&token=accept00`
  const READ = [
    CANONICAL,
    `https://www.${HOST}/tradeoffer/new/?partner=39734273&token=accept00`,
    `https://${HOST}/tradeoffer/new?partner=39734273&token=accept00`,
    `${PAGE}?token=accept00&partner=39734273`,
    `${CANONICAL}&for_item=730_2_1`,
    `${PAGE}?l=english&partner=39734273&x&token=accept00`,
    `${CANONICAL}#trade`,
    `https://SteamCommunity.COM/tradeoffer/new/?partner=39734273&token=accept00`,
    `HTTPS://WWW.STEAMCOMMUNITY.COM/tradeoffer/new/?partner=39734273&token=accept00`,
    ` ${CANONICAL} `,
    `\t${CANONICAL}\r\n`,
    `${CANONICAL}\u00a0`,
    `${CANONICAL}&${'x'.repeat(300)}`,
  ]
  for (const text of READ) {
    test(JSON.stringify(text), () => {
      const read = { partner: 39_734_273, token: 'accept00', url: CANONICAL }
      assert.deepEqual(readTradeUrl(text, HOST), read)
      assert.ok(compile(TradeUrlText)(text))
    })
  }

  test('with the smallest and the largest partner there can be', () => {
    assert.equal(readTradeUrl(`${PAGE}?partner=1&token=aB3_-xyz`, HOST)?.partner, 1)
    assert.equal(
      readTradeUrl(`${PAGE}?partner=4294967295&token=aB3_-xyz`, HOST)?.partner,
      4_294_967_295,
    )
  })

  test('under another host when that is the setting, which is not read as a pattern', () => {
    const text = 'https://127.0.0.1:3001/tradeoffer/new/?partner=5&token=accept00'
    assert.equal(readTradeUrl(text, '127.0.0.1:3001')?.url, text)
    assert.equal(readTradeUrl(text, '127x0.0.1:3001'), null)
    assert.equal(readTradeUrl(CANONICAL, 'platform.example'), null)
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
    'a host in the path': `https://evil.com/${HOST}/tradeoffer/new/?partner=1&token=accept00`,
    'another subdomain': `https://store.${HOST}/tradeoffer/new/?partner=1&token=accept00`,
    'a host behind a user': `https://${HOST}@evil.com/tradeoffer/new/?partner=1&token=accept00`,
    'a user before the host': `https://user@${HOST}/tradeoffer/new/?partner=1&token=accept00`,
    'a port': `https://${HOST}:8443/tradeoffer/new/?partner=1&token=accept00`,
    'another path': `https://${HOST}/tradeoffer/?partner=1&token=accept00`,
    'a path that goes on': `https://${HOST}/tradeoffer/new/x?partner=1&token=accept00`,
    'a path by way of another': `https://${HOST}/x/../tradeoffer/new/y?partner=1&token=accept00`,
    'a path in capitals': `https://${HOST}/TradeOffer/new/?partner=1&token=accept00`,
    'no partner': `${PAGE}?token=accept00`,
    'no token': `${PAGE}?partner=1`,
    'partner and token in the fragment': `${PAGE}#?partner=1&token=accept00`,
    'names in capitals': `${PAGE}?Partner=1&Token=accept00`,
    'partner zero': `${PAGE}?partner=0&token=accept00`,
    'a partner with a leading zero': `${PAGE}?partner=01&token=accept00`,
    'a negative partner': `${PAGE}?partner=-1&token=accept00`,
    'a partner above 32 bits': `${PAGE}?partner=4294967296&token=accept00`,
    'a partner of 11 digits': `${PAGE}?partner=99999999999&token=accept00`,
    'a partner in exponents': `${PAGE}?partner=1e5&token=accept00`,
    'a token of 7': `${PAGE}?partner=1&token=accept0`,
    'a token of 9': `${PAGE}?partner=1&token=accept000`,
    'a token of other characters': `${PAGE}?partner=1&token=accept0%2B`,
    'two partners': `${PAGE}?partner=1&partner=2&token=accept00`,
    'one partner twice': `${PAGE}?partner=1&token=accept00&partner=1`,
    'two tokens': `${PAGE}?partner=1&token=accept00&token=accept01`,
    'a space inside': `${PAGE}?partner=1 &token=accept00`,
    'a line break inside': `${PAGE}?partner=1&to\nken=accept00`,
    'a control character inside': `${PAGE}?partner=1&token=accept00&x=\u0001`,
    backslashes: `https:\\\\${HOST}\\tradeoffer\\new\\?partner=1&token=accept00`,
    'two URLs': `${PAGE}?partner=1&token=accept00\n${PAGE}?partner=1&token=accept00`,
    'too long': `${PAGE}?partner=1&token=accept00&${'x'.repeat(2048)}`,
  }
  for (const [name, text] of Object.entries(NOT_READ)) {
    test(name, () => {
      assert.equal(readTradeUrl(text, HOST), null)
      assert.ok(!compile(TradeUrlText)(text))
    })
  }
})
