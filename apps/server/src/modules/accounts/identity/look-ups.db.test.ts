// How the question of a request reaches a worker, and which answer comes back.
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { type Db, sql } from '#infra/database/db'
import { newId } from '#kernel/id'
import { Refusal } from '#kernel/refusal'
import { manualClock } from '../../../infra/testing/clock.ts'
import { type TestDatabase, testDatabase } from '../../../infra/testing/database.ts'
import { until } from '../../../infra/testing/until.ts'
import { createAnswering } from './answer-trade-urls.ts'
import { createAskedPlatform } from './ask-trade-url.ts'
import { askTradeUrl, claimTradeUrls, purgeLookUps, writeAnswer } from './look-up-store.ts'
import type { GamePlatform, ParsedTradeUrl, TradeUrlAnswer } from './ports.ts'
import { createTradeUrlResolver } from './resolve-trade-url.ts'
import { aMerchant, aPlatform, aSubUser, readTradeUrl, urlOf } from './testing/accounts.ts'
import { platformIdOf } from './trade-url.ts'
import { readTradeUrls } from './trade-url-store.ts'
import { addTradeUrl } from './trade-urls.ts'

let test: TestDatabase
let db: Db
before(async () => {
  test = await testDatabase({ poolSize: 20 })
  db = test.db
})
after(() => test.close())
beforeEach(() => db.query(sql('', 'delete from identity.trade_url_look_up'), []))

const MINUTE_MS = 60_000
const NEVER = new AbortController().signal
const AWAY: TradeUrlAnswer = { kind: 'unavailable', detail: 'away' }
const UNASKED: TradeUrlAnswer = { kind: 'unavailable', detail: 'no bot', isUnasked: true }
const REFUSED: TradeUrlAnswer = { kind: 'refused', detail: 'no longer valid' }

let partners = 1000
const aUrl = (partner = ++partners): ParsedTradeUrl => ({
  ...{ partner, token: 'accept00', canonical: urlOf(partner) },
  platformId: platformIdOf(partner),
})
const saying = (answer: TradeUrlAnswer): GamePlatform => aPlatform({ accept00: answer })

const resolvedAs = (url: ParsedTradeUrl, personaName: string): TradeUrlAnswer => ({
  kind: 'resolved',
  persona: {
    ...{ platformId: url.platformId, personaName, avatarUrl: '' },
    profileUrl: `https://steamcommunity.com/profiles/${url.platformId}`,
  },
  holdDays: 0,
  probation: false,
})

function given({ clock = manualClock() } = {}) {
  const asked = createAskedPlatform({ db, clock, patienceMs: 5000 })
  const impatient = createAskedPlatform({ db, clock, patienceMs: 1 })
  const context = { requestId: newId(), tenantId: newId() }
  const work = (bots: GamePlatform, market: GamePlatform | null = null) =>
    createAnswering({ db, clock, bots, market, onAnswer: () => {} })(NEVER)
  /** The request does not wait for the answer. */
  const ask = (url: ParsedTradeUrl, tenantId = context.tenantId) =>
    impatient.resolveTradeUrl(url, { ...context, tenantId })
  const kindOf = async (url: ParsedTradeUrl) => (await asked.resolveTradeUrl(url, context)).kind
  return { clock, asked, ask, kindOf, work, context }
}

describe('a look-up of a trade URL', () => {
  it('is answered by a worker to the request that waits for it', async () => {
    const { asked, work, context } = given()
    const url = aUrl()
    const answer = asked.resolveTradeUrl(url, context)
    await until('the question', async () => (await waiting()).length > 0)
    assert.equal(await work(aPlatform()), false)
    const seen = await answer
    assert.equal(seen.kind === 'resolved' && seen.persona.personaName, `Persona ${url.partner}`)
  })

  it('that no worker takes is unavailable, and serves the repeat when one has returned', async () => {
    const { ask, kindOf, work } = given()
    const url = aUrl()
    assert.deepEqual(await ask(url), {
      ...{ kind: 'unavailable', detail: 'the platform was not asked in time' },
      retryAfterMs: 2000,
    })
    await work(aPlatform())
    assert.equal(await kindOf(url), 'resolved')
  })

  it('that is good counts ten minutes for all processes, and a refusal never', async () => {
    const { clock, ask, kindOf, work } = given()
    const url = aUrl()
    await ask(url)
    await work(aPlatform())
    clock.advance(10 * MINUTE_MS - 1)
    assert.equal(await kindOf(url), 'resolved')
    clock.advance(1)
    assert.equal((await ask(url)).kind, 'unavailable')
    await work(saying(REFUSED))
    // Asked again, it is asked of the platform again.
    const before = (await waiting()).length
    await ask(url)
    assert.equal((await waiting()).length, before + 1)
  })

  it('is good in no process for longer than ten minutes, however late it learned of it', async () => {
    const { clock, ask, asked, work } = given()
    const url = aUrl()
    const resolve = createTradeUrlResolver({ platform: asked, clock, readTradeUrl })
    await ask(url)
    await work(aPlatform())
    clock.advance(9 * MINUTE_MS)
    const context = { requestId: 'r', tenantId: newId() }
    await resolve(url.canonical, context)
    clock.advance(MINUTE_MS)
    const late = assert.rejects(
      resolve(url.canonical, context),
      (error) => error instanceof Refusal && error.key === 'TRADEURL_INVALID_TOKEN',
    )
    await until('the question', async () => (await waiting()).length > 0)
    await work(saying(REFUSED))
    await late
  })

  it('has its turn by tenant, however much one of them asks', async () => {
    const { clock, ask } = given()
    const [greedy, modest] = [newId(), newId()]
    for (let count = 0; count < 10; count += 1) await ask(aUrl(), greedy)
    clock.advance(1000)
    await ask(aUrl(), modest)
    const claimed = await claim(clock, { limit: 2 })
    assert.deepEqual(new Set(claimed.map(({ tenantId }) => tenantId)), new Set([greedy, modest]))
    // What the greedy one has under way counts for it.
    await ask(aUrl(), modest)
    await ask(aUrl(), newId())
    const [next] = await claim(clock, { limit: 1 })
    assert.ok(next && next.tenantId !== greedy && next.tenantId !== modest)
  })

  it('is claimed by one of two workers, and by another once the first has died', async () => {
    const { clock, ask } = given()
    await ask(aUrl())
    const both = await Promise.all([claim(clock), claim(clock)])
    assert.equal(both.flat().length, 1)
    clock.advance(59_000)
    assert.deepEqual(await claim(clock), [])
    await ask(aUrl())
    clock.advance(1000)
    assert.equal((await claim(clock, { withinMs: 10 * MINUTE_MS })).length, 2)
  })

  it('of a worker that was overtaken refuses nothing, and is believed when it is good', async () => {
    const { clock, ask, kindOf } = given()
    const url = aUrl()
    await ask(url)
    const [slow, quick] = [newId(), newId()]
    const [claimed] = await claim(clock, { claimId: slow })
    assert.ok(claimed)
    clock.advance(MINUTE_MS)
    await claim(clock, { claimId: quick, withinMs: 10 * MINUTE_MS })
    const write = (claimId: string, answer: TradeUrlAnswer) =>
      writeAnswer(db, claimed, {
        ...{ claimId, at: clock.now() },
        lookedUp: { by: 'bots', answer, tookMs: 1 },
      })
    await write(slow, REFUSED)
    assert.equal((await ask(url)).kind, 'unavailable')
    await write(quick, resolvedAs(url, 'A name'))
    await write(slow, REFUSED)
    await write(quick, AWAY)
    assert.equal(await kindOf(url), 'resolved')
  })

  it('that has waited for over a minute is asked anew, and one without a repeat is left', async () => {
    const { clock, ask, work } = given()
    const [left, repeated] = [aUrl(), aUrl()]
    await ask(left)
    await ask(repeated)
    clock.advance(MINUTE_MS + 1)
    await ask(repeated)
    const platform = aPlatform()
    await work(platform)
    assert.deepEqual(platform.asked, [repeated.canonical])
  })

  it('goes to the market only while no bot can ask', async () => {
    const { ask, work } = given()
    const market = aPlatform()
    const [unasked, away] = [aUrl(), aUrl()]
    await ask(away)
    await work(saying(AWAY), market)
    assert.deepEqual(market.asked, [])
    await ask(unasked)
    await work(saying(UNASKED), market)
    assert.deepEqual(market.asked, [unasked.canonical])
  })

  it('without a bot and a market is unavailable at once, and waits for nothing', async () => {
    const { asked, work, context } = given()
    const url = aUrl()
    const startedAt = performance.now()
    const answer = asked.resolveTradeUrl(url, context)
    await until('the question', async () => (await waiting()).length > 0)
    await work(saying(UNASKED))
    assert.deepEqual(await answer, UNASKED)
    assert.ok(performance.now() - startedAt < 4000)
    assert.deepEqual(await stored(url), { kind: 'unavailable', by: 'none' })
  })

  it('by the market leaves the id for the name, which the next one by a bot completes', async () => {
    const { ask, work } = given()
    const url = aUrl()
    const accountId = (await aSubUser(db, (await aMerchant(db)).id)).id
    const nameless = resolvedAs(url, url.platformId)
    const add = (answer: TradeUrlAnswer) => {
      assert.ok(answer.kind === 'resolved')
      const resolved = { ...url, ...answer, url: url.canonical }
      return db.transaction((tx) => addTradeUrl(tx, { accountId, resolved, at: new Date() }))
    }
    await add(nameless)
    const name = async () => (await readTradeUrls(db, accountId))[0]?.personaName
    assert.equal(await name(), url.platformId)
    await ask(url)
    await work(aPlatform())
    assert.equal(await name(), `Persona ${url.partner}`)
    // A look-up without a name takes nothing away.
    await add(nameless)
    assert.equal(await name(), `Persona ${url.partner}`)
  })

  it('is forgotten a day later', async () => {
    const { clock, ask } = given()
    await ask(aUrl())
    const before = new Date(clock.now().getTime() + 1)
    assert.equal(await purgeLookUps(db, { before: clock.now(), limit: 10 }), 0)
    assert.equal(await purgeLookUps(db, { before, limit: 10 }), 1)
  })

  it('of a URL that is under way keeps its place when it is asked for again', async () => {
    const { clock, context } = given()
    const url = aUrl()
    const times = (at: Date) => ({
      ...{ ...context, at, goodSince: at },
      stale: new Date(at.getTime() - MINUTE_MS),
    })
    await askTradeUrl(db, url, times(clock.now()))
    await claim(clock)
    clock.advance(1000)
    await askTradeUrl(db, url, times(clock.now()))
    assert.deepEqual(await claim(clock), [])
  })
})

const claim = (
  clock: { now(): Date },
  { limit = 10, claimId = newId(), withinMs = MINUTE_MS } = {},
) => {
  const at = clock.now()
  return claimTradeUrls(db, {
    ...{ claimId, at, limit },
    until: new Date(at.getTime() + MINUTE_MS),
    since: new Date(at.getTime() - withinMs),
  })
}

const WAITING = sql('', 'select url from identity.trade_url_look_up where answer is null')
const waiting = () => db.query<{ url: string }>(WAITING, [])

const STORED = sql(
  '',
  `select answer ->> 'kind' kind, answer ->> 'by' by from identity.trade_url_look_up where url = $1`,
)
const stored = async (url: ParsedTradeUrl) => (await db.query(STORED, [url.canonical]))[0]
