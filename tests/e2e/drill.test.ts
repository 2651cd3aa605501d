// The drill against the sandbox: every part is as expected, and what the sandbox plays otherwise differs.
// Parts go at once, each on a database of its own.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { CALL_KINDS } from '../../apps/server/src/adapters/game-platform/index.ts'
import { listAudit } from '../../apps/server/src/modules/accounts/audit/index.ts'
import { ROOT } from '../support/child.ts'
import {
  BOT_CHECKS,
  CHAIN_WORDS,
  CHAINS,
  GATEWAY,
  ONRAMP,
  PLATFORM,
  PURCHASES,
  UNSEEN,
} from '../support/drill-words.ts'
import {
  assertDiffers,
  BUYER,
  type Drilled,
  type Drilling,
  linesOf,
  openDrillWorld,
  SECRETS,
  SECRETS_KEY,
  type Verb,
} from '../support/drills.ts'
import { MARKETS, type MarketId } from '../support/sandbox.ts'
import { tradeUrl } from '../support/trading.ts'
import { until } from '../support/until.ts'

const { sandbox, folder, control, openDrills } = openDrillWorld()
const PARTS = { market_a: 'market-a', market_b: 'market-b' } as const
const IN_TURN = { concurrency: 1 } as const

describe('a drill', { concurrency: true }, () => {
  describe('of what costs nothing', IN_TURN, () => {
    const { drill, database } = openDrills()
    const EVERY = ['platform', 'market-a', 'market-b', 'gateway', 'onramp', 'chains']

    it('finds every part as expected, and says of what moves items that it was not tried', async () => {
      const drilled = await drill([...EVERY, '--trade-url', BUYER])
      assert.equal(drilled.code, 0, drilled.report)
      for (const part of EVERY)
        assert.match(drilled.report, new RegExp(`^## ${part}: as expected$`, 'm'))
      assert.deepEqual(
        linesOf(drilled, 'not tried').map((line) => line.split(':')[0]),
        ['- send', '- cancel', '- confirmations-act'],
      )
      assert.equal(drilled.report.match(/, ethereum .*: as expected/g)?.length, 8)
    })

    it('has no secret in its report and on the terminal', async () => {
      const { report, said } = await drill([...EVERY, 'buy', '--trade-url', BUYER])
      const bots = (await control('GET', '/platform/bots')) as Record<string, string>[]
      const secrets = [
        ...Object.values(SECRETS),
        ...[SECRETS_KEY, new URL(database().url).password],
        ...bots.flatMap(({ platformId: _public, ...rest }) => Object.values(rest)),
      ].filter((secret) => secret !== '')
      assert.ok(secrets.length >= 9)
      for (const secret of secrets)
        assert.ok(!`${report}${said}`.includes(secret), secret.slice(0, 4))
    })

    it('says what was not tried for want of a trade URL', async () => {
      const drilled = await drill(['platform', 'market-b'])
      assert.equal(drilled.code, 0, drilled.report)
      assert.match(
        drilled.report,
        /^- trade-page, bot \d+: not tried \(--trade-url is not given\)$/m,
      )
      assert.match(drilled.report, /^- check-tradelink of a good link: not tried/m)
    })

    it('refuses wrong arguments with its help, and another drill beside it', async () => {
      assert.equal((await drill(['nothing'])).code, 2)
      assert.equal((await drill(['platform', '--spend', 'much'])).code, 2)
      assert.equal((await drill(['platform', '--trade-url', 'https://elsewhere.example'])).code, 2)
      const { code, said } = await drill(['--help'])
      assert.equal(code, 0)
      assert.match(said, /platform.*market-a.*market-b.*buy.*gateway.*onramp.*chains/s)
    })
  })

  describe('that buys', IN_TURN, () => {
    const { drill, database } = openDrills()
    const buy = ['buy', '--trade-url', BUYER, '--patience', '0.3']
    const orders = async (): Promise<number> => (await sandbox().orders()).length

    it('spends nothing without an amount, and nothing that is not confirmed', async () => {
      const before = await orders()
      const unasked = await drill(buy)
      assert.equal(unasked.code, 3)
      assert.match(unasked.report, /^- buy: not tried \(--spend is not given\)$/m)
      const refused = await drill([...buy, '--spend', '40.00'], { answers: ['no'] })
      assert.equal(refused.code, 3)
      assert.match(refused.report, /^- buy: not tried \(it was not confirmed\)$/m)
      assert.equal(await orders(), before)
    })

    it('is as expected at both markets: accepted, declined, not answered, and one id twice', async () => {
      const before = await orders()
      // It goes on to the next listing where one was sold or became dearer.
      for (const market of MARKETS) {
        const words = ['reject:sold_out', 'reject:price_changed', 'slow:1']
        await sandbox().script(market, ...words)
      }
      const drilled = await drill([...buy, '--spend', '40.00'], { answers: ['yes'] })
      assert.equal(drilled.code, 0, drilled.report)
      assert.equal(linesOf(drilled, 'as expected').length, 14, drilled.report)
      const placed = await sandbox().orders()
      assert.equal(placed.length, before + 6)
      const acts = await listAudit(database().db, { act: 'drill.buy', limit: 20 })
      const recorded = new Set(acts.map(({ details }) => details.customId))
      const known = placed.filter(({ customId }) => recorded.has(customId))
      assert.equal(known.length, 6, 'each is in the audit log')
    })

    it('never spends more than it may', async () => {
      const cheapest = await Promise.all(MARKETS.map((market) => sandbox().listings(market, 1)))
      const dearer = Math.max(...cheapest.flat().map(({ priceMills }) => priceMills))
      // For the purchases at one market, and for none at the other.
      const spend = (Math.ceil((dearer * 4) / 10) + 1) / 100
      const before = await sandbox().orders()
      const drilled = await drill([...buy, '--spend', spend.toFixed(2), '--yes'])
      const spent = (await sandbox().orders())
        .filter(({ customId }) => before.every((order) => order.customId !== customId))
        .reduce((sum, { price }) => sum + Number(price), 0)
      assert.ok(spent > 0 && spent <= spend, `${spent} of ${spend}: ${drilled.report}`)
    })
  })
})

const inEach = (
  name: (at: MarketId) => string,
  run: (at: MarketId, drills: ReturnType<typeof openDrills>) => void,
): void => {
  for (const at of MARKETS) describe(name(at), IN_TURN, () => run(at, openDrills()))
}

describe('what the sandbox plays otherwise', { concurrency: true }, () => {
  describe('of the platform', IN_TURN, () => {
    const { drill, untilWell } = openDrills()
    const platform = ['platform', '--trade-url', BUYER]
    for (const { words, differs } of PLATFORM) {
      it(`differs: ${words.join(', ')}`, async () => {
        await untilWell(...platform)
        await control('POST', '/platform/script', { next: words })
        const drilled = await drill(platform)
        await control('DELETE', '/platform/script')
        assertDiffers(drilled, differs)
      })
    }

    it('differs: 429:log-in', async () => {
      await untilWell(...platform)
      await control('POST', '/platform/script', { next: ['429:log-in'] })
      // Once its rest is over, a later check logs in.
      assert.match((await drill(platform)).report, /^- log-in, .*: differs: .* refuses log-ins/m)
    })

    it('differs: it is away', async () => {
      await untilWell(...platform)
      await sandbox().setPlatform({ online: false })
      const drilled = await drill(platform)
      await sandbox().setPlatform({ online: true })
      assert.equal(linesOf(drilled, 'as expected').length, 0, drilled.report)
      assert.equal(drilled.code, 1)
    })

    it('differs: no headers', async () => {
      await untilWell(...platform)
      const emptied = Object.entries(CALL_KINDS).map(([kind, { headers }]) => {
        const none = Object.keys(headers).map((name) => [name, null])
        return [kind, { headers: Object.fromEntries(none) }]
      })
      const file = join(folder(), 'kinds.json')
      writeFileSync(file, JSON.stringify(Object.fromEntries(emptied)), { mode: 0o600 })
      const drilled = await drill(platform, { env: { PLATFORM_CALL_KINDS: file } })
      for (const check of BOT_CHECKS.filter((one) => one !== 'web-api')) {
        assert.match(drilled.report, new RegExp(`^- ${check}, bot \\d+: differs: `, 'm'))
      }
    })

    it('differs: an account that is private, and one that is held', async () => {
      await untilWell(...platform)
      const secluded = ['platform', '--trade-url', tradeUrl('privat00', 612_002)]
      // Its token says what it is, and the anonymous read comes before the token is shown.
      assertDiffers(await drill(secluded), { 'trade-page': /private/ })
      assertDiffers(await drill(secluded), {
        'inventory, without a log-in': /private/,
        'trade-page': /private/,
      })
      const held = await drill(['platform', '--trade-url', tradeUrl('holdup00', 612_003)])
      assertDiffers(held, {
        'web-api': /because of the account/,
        'trade-page': /because of the account/,
      })
    })
  })

  inEach(
    (at) => `of ${at}`,
    (at, { drill, untilWell }) => {
      const part = [PARTS[at], '--trade-url', BUYER]
      const setting = at === 'market_a' ? 'SANDBOX_MARKET_A_KEY' : 'SANDBOX_MARKET_B_KEY'
      const played = (change: object) => control('PUT', `/markets/${at}`, change)

      it('differs: it is away', async () => {
        await played({ online: false })
        const away = await drill(part)
        await played({ online: true })
        assert.equal(linesOf(away, 'as expected').length, 0, away.report)
        await untilWell(...part)
      })

      it('differs: it refuses the key', async () => {
        const refused = await drill(part, { env: { [setting]: 'another' } })
        const keyed =
          at === 'market_a'
            ? ['get-money', 'chance', 'history', 'look-up']
            : ['user', 'check-tradelink of a g', 'check-tradelink of a b', 'history', 'my-history']
        const lines = linesOf(refused, 'differs')
        for (const check of keyed) {
          assert.ok(
            lines.some((line) => line.startsWith(`- ${check}`)),
            refused.report,
          )
        }
        await untilWell(...part)
      })

      if (at === 'market_a') {
        it('differs: the account is kept in another currency', async () => {
          await played({ currency: 'RUB' })
          const drilled = await drill(part)
          await played({ currency: 'USD' })
          assertDiffers(drilled, { 'get-money': /kept in RUB/ })
        })
      } else {
        it('differs: it refuses the address', async () => {
          await played({ forbidden: true })
          const drilled = await drill(part)
          await played({ forbidden: false })
          for (const check of ['user', 'history', 'my-history']) {
            assert.match(drilled.report, new RegExp(`^- ${check}: differs: `, 'm'))
          }
          assert.match(drilled.report, /^- snapshot: as expected/m)
          await untilWell(...part)
        })

        it('differs: an account that it does not serve', async () => {
          const good = 'check-tradelink of a good link'
          const one = await drill(['market-b', '--trade-url', tradeUrl('banned00', 612_004)])
          assertDiffers(one, { [good]: /BAN/ })
          const other = await drill(['market-b', '--trade-url', tradeUrl('holdup00', 612_005)])
          assertDiffers(other, { [good]: /banned for not accepting trades/ })
        })
      }

      /** What ends does so within a second or two; what does not is not waited for. */
      const buy = ['buy', '--trade-url', BUYER, '--patience', '0.1', '--spend', '40.00', '--yes']
      const scripted = async (
        words: readonly string[],
        drilling: Drilling = {},
        args: readonly string[] = buy,
      ) => {
        await sandbox().script(at, ...words)
        const drilled = await drill(args, { ...drilling, at })
        await sandbox().clearScript(at)
        return drilled
      }
      const hasItsMoney = ({ report }: Drilled) =>
        assert.match(report.replaceAll('\\', ''), /^- balance afterwards, \w+: as expected/m)

      for (const { words, differs, at: only = at } of PURCHASES.filter(
        (one) => (one.at ?? at) === at,
      )) {
        it(`differs: ${words.join(', ')}`, async () => {
          const drilled = await scripted(words)
          assertDiffers(drilled, differs)
          assert.equal(only, at)
          hasItsMoney(drilled)
        })
      }

      it('differs: purchases that end otherwise than they were to', async () => {
        const drilled = await scripted([], { act: (asked) => CONTRARY[asked] })
        assertDiffers(drilled, { accept: /declined/, decline: /hold/, expire: /hold/ })
      })

      it('differs: the seller takes the offer back', async () => {
        const act = (asked: Verb) => (asked === 'accept' ? null : asked)
        assertDiffers(await scripted(['seller_cancels_offer'], { act }), {
          accept: /failed, order/,
        })
      })

      const briefly = buy.map((word) => (word === '0.1' ? '0.05' : word))
      const lessOf = ({ report }: Drilled): readonly number[] =>
        /afterwards, .*: differs: ([\d.]+) USD less in place of ([\d.]+)/
          .exec(report)
          ?.slice(1)
          .map(Number) ?? []

      it('differs: what was delivered is taken back', async () => {
        const [less = 0, expected = 0] = lessOf(await scripted(['reversal_by:user'], {}, briefly))
        assert.ok(0 < less && less < expected, `${less} of ${expected}`)
      })

      it('differs: what was not delivered is not paid back, and nothing comes of an offer', async () => {
        const act = (asked: Verb) => (asked === 'expire' ? null : asked)
        const drilled = await scripted(['seller_cancels+refund_withheld'], { act }, briefly)
        const [less = 0, expected = 0] = lessOf(drilled)
        assert.ok(less > expected, `${less} of ${expected}`)
        assert.match(drilled.report, /^- accept, .*: differs: /m)
        assert.match(drilled.report, /^- expire, .*: differs: it is \w+ after the time/m)
      })

      it('differs: the first order is not shown after its id was repeated', async () => {
        const drilled = await scripted(['slow:1', 'slow:2000'], {
          onLine: (line) =>
            line.startsWith('  accept, ') && sandbox().script(at, 'lookup_blind:60'),
        })
        await control('POST', `/markets/${at}/script`, { next: ['lookup_blind:0'] })
        assert.match(
          drilled.report.replaceAll('\\', ''),
          /^- repeated id, \w+: differs: the look-up does not show/m,
        )
      })
    },
  )

  describe('of the gateway', IN_TURN, () => {
    const { drill, untilWell } = openDrills()
    for (const [word, ...checks] of GATEWAY) {
      it(`differs: ${word}`, async () => {
        // Each look at an order is a call.
        await control('POST', '/gateway/script', { next: Array.from({ length: 8 }, () => word) })
        const drilled = await drill(['gateway'])
        await control('DELETE', '/gateway/script')
        assertDiffers(drilled, Object.fromEntries(checks.map((check) => [check, /./])))
        await untilWell('gateway')
      })
    }

    it('differs: look-ups do not show the order', async () => {
      await control('POST', '/gateway/script', { next: ['lookup_blind:60'] })
      const drilled = await drill(['gateway'])
      await control('POST', '/gateway/script', { next: ['lookup_blind:0'] })
      assertDiffers(drilled, { query: /not found/, transactiondetail: /400202/, close: /absent/ })
      await untilWell('gateway')
    })

    it('differs: the order is paid meanwhile', async () => {
      const pay = async () => {
        const { items } = (await control('GET', '/gateway/orders')) as {
          items: { prepayId: string }[]
        }
        await control('POST', `/gateway/${items[0]?.prepayId}/pay`, {})
      }
      await control('PUT', '/gateway', { latencyMs: 100 })
      await until('the payment comes before the look-up', async () => {
        const drilled = await drill(['gateway'], {
          onLine: (line) => line.startsWith('  create: as expected') && pay(),
        })
        assertDiffers(drilled, { query: /with 1 payments/, close: /after it was closed/ })
        return true
      })
      await control('PUT', '/gateway', { latencyMs: 0 })
    })

    it('differs: it is away, and refuses the key', async () => {
      await control('PUT', '/gateway', { online: false })
      const away = await drill(['gateway'])
      await control('PUT', '/gateway', { online: true })
      assertDiffers(away, { currencies: /502/, orderlist: /502/ })
      const refused = await drill(['gateway'], { env: { SANDBOX_GATEWAY_KEY: 'another' } })
      assertDiffers(refused, { currencies: /Signature/, orderlist: /Signature/ })
    })
  })

  describe('of the on-ramp', IN_TURN, () => {
    const { drill, untilWell } = openDrills()
    for (const word of ONRAMP) {
      it(`differs: ${word}`, async () => {
        await untilWell('onramp')
        const { items } = (await control('GET', '/onramp/orders')) as {
          items: { orderId: number }[]
        }
        await control('POST', `/onramp/${items[0]?.orderId}/complete`, {})
        await until('its history names the payment', async () => {
          assert.match((await untilWell('onramp')).report, /\([1-9]\d* payments\)/)
          return true
        })
        await control('POST', '/onramp/script', { next: [word] })
        const drilled = await drill(['onramp'])
        await control('DELETE', '/onramp/script')
        assertDiffers(drilled, { 'history of a day': /./ })
      })
    }

    it('differs: it is away, or refuses the key', async () => {
      await control('PUT', '/onramp', { online: false })
      const away = await drill(['onramp'])
      await control('PUT', '/onramp', { online: true })
      assert.equal(linesOf(away, 'as expected').length, 0, away.report)
      await untilWell('onramp')
      const refused = await drill(['onramp'], { env: { SANDBOX_ONRAMP_KEY: 'another' } })
      assert.equal(linesOf(refused, 'as expected').length, 1, refused.report)
    })

    it('differs: an application that it does not know', async () => {
      const drilled = await drill(['onramp'], { env: { SANDBOX_ONRAMP_APP_ID: '404' } })
      assertDiffers(drilled, { 'composed address': /the page is refused with status 400$/ })
    })
  })

  describe('of a chain', IN_TURN, () => {
    const { drill, untilWell } = openDrills()
    for (const [check, change, back] of CHAINS) {
      it(`differs: ${Object.keys(change)}`, async () => {
        await control('PUT', '/chains/ethereum', change)
        const drilled = await drill(['chains'])
        await control('PUT', '/chains/ethereum', back)
        assert.equal(drilled.code, 1)
        const line = new RegExp(`^- ${check}, ethereum rpc 1: differs: `, 'm')
        assert.match(drilled.report, line, drilled.report)
        await untilWell('chains')
      })
    }
    for (const word of CHAIN_WORDS) {
      it(`differs: ${word}`, async () => {
        await control('POST', '/chains/ethereum/script', { next: [word] })
        assertDiffers(await drill(['chains']), { 'chain id, ethereum rpc 1': /status \d00|429/ })
      })
    }
  })
})

const CONTRARY = { accept: 'decline', decline: 'accept', expire: 'accept' } as const

it('looks at every fault of the sandbox, or is said to be blind to it', () => {
  const page = readFileSync(join(ROOT, 'apps/sandbox/README.md'), 'utf8')
  const cells = page.split('\n').map((line) => line.split('|').map((cell) => cell.trim()))
  const entries = cells.slice(cells.findIndex(([, first]) => first === 'Entry') + 2)
  const words = entries
    .slice(
      0,
      entries.findIndex(({ length }) => length < 4),
    )
    .flatMap(([, cell]) => namesIn(cell))
  const switches = cells
    .filter(([, cell]) =>
      /^`PUT \/(markets|platform|gateway|onramp|chains)(\/:\w+)?`$/.test(cell ?? ''),
    )
    .flatMap(([, , cell]) => namesIn(cell))
  assert.ok(words.length > 50 && switches.length > 15)
  const names = [...words, ...switches].map((name) => name.replace(/:<.*|^\+/g, ''))
  const files = ['tests/e2e/drill.test.ts', 'tests/support/drill-words.ts']
  const own = files.map((file) => readFileSync(join(ROOT, file), 'utf8').split('const UNSEEN')[0])
  const isPlayed = (name: string) =>
    ["'", ' ', '+', '{'].some((before) => own.join().includes(`${before}${name}`))
  assert.deepEqual(
    names.filter((name) => !isPlayed(name) && !Object.hasOwn(UNSEEN, name)),
    [],
  )
  assert.deepEqual(
    Object.keys(UNSEEN).filter((name) => !names.includes(name)),
    [],
  )
})

const namesIn = (cell = ''): string[] =>
  [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)
