// The production profile, from an empty database, against a strict sandbox: the short form of
// `npm run rehearse`, with less time between looks and in the hold.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, it } from 'node:test'
import { deadSessions, marketBAlone, noHeaders } from '../rehearsal/variants.ts'
import { startWorld, type World } from '../rehearsal/world.ts'

const folder = mkdtempSync(join(tmpdir(), 'tradepost-profile-'))
let world: World

before(async () => {
  world = await startWorld({ holdSeconds: 2, settings: { FOLLOW_INTERVAL_MS: '1000' } })
})
after(async () => {
  await world.close()
  rmSync(folder, { recursive: true, force: true })
})

it('does all but the sell with market B alone and without a bot', () => marketBAlone(world))

it('buys at both markets, sells, deposits twice and pays out, although each first session was dead', () =>
  deadSessions(world))

it('names the kinds of calls that are refused, when every table of headers is empty', () =>
  noHeaders(folder)(world))
