import type { FastifyInstance } from 'fastify'
import type { Switchboard } from '../markets/switchboard.ts'
import type { BotAccounts } from '../platform/bots/accounts.ts'
import type { Confirmations } from '../platform/bots/confirmations.ts'
import type { BotOffers } from '../platform/bots/offers.ts'
import type { Reads } from '../platform/index.ts'
import { type Inventories, MOST_OWN_ITEMS } from '../platform/inventories.ts'
import { accountIdOf } from '../platform/persona.ts'
import {
  type PlatformEvent,
  type PlatformScript,
  parsePlatformEvent,
  parseSendFault,
} from '../platform/script.ts'
import { ControlFault, readBody, readPartyChange } from './body.ts'

export interface PlatformControlDeps {
  readonly switchboard: Switchboard
  readonly inventories: Inventories
  readonly bots: BotAccounts
  readonly botOffers: BotOffers
  readonly confirmations: Confirmations
  readonly platformScript: PlatformScript
  readonly reads: Reads
}

export function servePlatformControls(app: FastifyInstance, deps: PlatformControlDeps): void {
  const { bots, platformScript } = deps

  app.put('/platform', (request) => {
    const change = readPartyChange(readBody(request.body, ['online', 'latencyMs']))
    return deps.switchboard.setParty('platform', change)
  })

  // What an operator of the real thing writes into a file of his: the bots with all their secrets.
  app.get('/platform/bots', () =>
    bots.list.map((bot) => ({
      platformId: bot.platformId,
      accountName: bot.accountName,
      sharedSecret: bot.sharedSecret,
      identitySecret: bot.identitySecret,
      refreshToken: bots.refreshToken(bot),
    })),
  )

  app.post('/platform/script', (request) => {
    const { next } = readBody(request.body, ['next'])
    if (!Array.isArray(next)) throw new ControlFault(400, 'next must be a list of words.')
    const words = next.map(String)
    const strange = words.find(
      (word) => parseSendFault(word) === null && parsePlatformEvent(word) === null,
    )
    if (strange !== undefined) throw new ControlFault(400, `There is no word "${strange}".`)
    for (const word of words) obey(parsePlatformEvent(word), deps)
    platformScript.append(words.filter((word) => parsePlatformEvent(word) === null))
    return { next: platformScript.list() }
  })

  app.delete('/platform/script', () => {
    platformScript.clear()
    return { next: [] }
  })

  app.put('/inventories/:platformId', (request) => {
    const { platformId } = request.params as { platformId: string }
    const { count } = readBody(request.body, ['count'])
    if (accountIdOf(platformId) === null) {
      throw new ControlFault(400, `${platformId} is not the id of a person.`)
    }
    if (!Number.isSafeInteger(count) || Number(count) < 0 || Number(count) > MOST_OWN_ITEMS) {
      throw new ControlFault(400, `count must be a number from 0 to ${MOST_OWN_ITEMS}.`)
    }
    deps.inventories.setOwn(platformId, Number(count))
    return { platformId, count }
  })
}

function obey(event: PlatformEvent | null, deps: PlatformControlDeps): void {
  if (event === null) return
  if (event === 'foreign_confirmation') deps.confirmations.addForeign()
  else if (event === 'end_sessions') {
    for (const bot of deps.bots.list) deps.bots.endSessions(bot)
  } else deps.reads.refusals = event.refuseReads
}
