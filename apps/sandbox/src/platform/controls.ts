import type { FastifyInstance } from 'fastify'
import { ControlFault, readBody, readPartyChange } from '../control/body.ts'
import type { FaultScript } from '../party/fault-script.ts'
import { serveFaultScript } from '../party/script-controls.ts'
import type { Switches } from '../party/switches.ts'
import type { BotAccounts } from './bots/accounts.ts'
import type { Confirmations } from './bots/confirmations.ts'
import { type Inventories, MOST_OWN_ITEMS } from './inventories.ts'
import { accountIdOf, personaOf } from './persona.ts'
import type { Privacy } from './privacy.ts'
import type { Reads } from './routes.ts'
import { isOtherFault, type PlatformEvent, parsePlatformEvent, parseSendFault } from './script.ts'

export interface PlatformControlDeps {
  readonly switches: Switches
  readonly inventories: Inventories
  readonly privacy: Privacy
  readonly bots: BotAccounts
  readonly confirmations: Confirmations
  readonly script: FaultScript
  readonly reads: Reads
}

export function servePlatformControls(app: FastifyInstance, deps: PlatformControlDeps): void {
  const { bots } = deps

  /** `online`, `latencyMs` */
  app.put('/platform', (request) => {
    const change = readPartyChange(readBody(request.body, ['online', 'latencyMs']))
    return deps.switches.set('platform', change)
  })

  /** Our bots with all their secrets, as an operator would write them into a file */
  app.get('/platform/bots', () =>
    bots.list.map((bot) => ({
      platformId: bot.platformId,
      accountName: bot.accountName,
      sharedSecret: bot.sharedSecret,
      identitySecret: bot.identitySecret,
      refreshToken: bots.refreshToken(bot),
    })),
  )

  /** Script of the platform */
  serveFaultScript(app, '/platform/script', {
    script: deps.script,
    accept(next) {
      const words = next.map(String)
      const unknown = words.find(
        (word) =>
          parseSendFault(word) === null && parsePlatformEvent(word) === null && !isOtherFault(word),
      )
      if (unknown !== undefined) throw new ControlFault(400, `There is no word "${unknown}".`)
      for (const word of words) apply(parsePlatformEvent(word), deps)
      return words.filter((word) => parsePlatformEvent(word) === null)
    },
  })

  /** What the account has */
  app.get('/inventories/:platformId', (request) => {
    const { platformId } = request.params as { platformId: string }
    return viewInventory(platformId, deps)
  })

  /** `count` of its own items */
  app.put('/inventories/:platformId', (request) => {
    const { platformId } = request.params as { platformId: string }
    const { count } = readBody(request.body, ['count'])
    if (accountIdOf(platformId) === null) {
      throw new ControlFault(400, `${platformId} is not the id of a platform account.`)
    }
    if (!Number.isSafeInteger(count) || Number(count) < 0 || Number(count) > MOST_OWN_ITEMS) {
      throw new ControlFault(400, `count must be a number from 0 to ${MOST_OWN_ITEMS}.`)
    }
    deps.inventories.setOwn(platformId, Number(count))
    return { platformId, count }
  })
}

function apply(event: PlatformEvent | null, deps: PlatformControlDeps): void {
  if (event === null) return
  if (event === 'foreign_confirmation') deps.confirmations.addForeign()
  else if (event === 'end_sessions') {
    for (const bot of deps.bots.list) deps.bots.endSessions(bot)
  } else deps.reads.refusals = event.refuseReads
}

function viewInventory(
  platformId: string,
  { inventories, privacy }: PlatformControlDeps,
): Record<string, unknown> {
  const accountId = accountIdOf(platformId)
  if (accountId === null) {
    throw new ControlFault(400, 'The platform id must be the 64-bit id of an account.')
  }
  return {
    platformId,
    personaName: personaOf(accountId).name,
    private: privacy.isPrivate(platformId),
    items: inventories.of(platformId).map(({ assetId, asset, tradable, marketable, context }) => ({
      assetId,
      marketHashName: asset.item.marketHashName,
      icon: asset.item.iconUrl,
      phase: asset.item.phase,
      wear: asset.wear,
      paintSeed: asset.paintSeed,
      tradable,
      marketable,
      protected: context === 'protected',
    })),
  }
}
