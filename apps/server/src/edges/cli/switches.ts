// Trading and markets switched on and off on the command line.
import type { MarketId } from '#kernel/market-id'
import {
  forgetBot,
  openPlacing,
  pauseTrading,
  resumeTrading,
  setWaitingLimit,
  switchMarket,
} from '#operations'
import { BOTS, PAYMENTS } from '#reconciliation'
import { namesOf } from './help.ts'
import { type Command, type Context, reasonOf, usage } from './invocation.ts'

export const switchCommands: Readonly<Record<string, Command>> = {
  'trading:pause': async (context) => {
    await pauseTrading(context, context.actor, reasonOf(context))
    return 'Trading is paused: new buys and sells are refused, trades under way go on.'
  },

  'trading:resume': async (context) => {
    await resumeTrading(context, context.actor, reasonOf(context))
    return 'Trading is resumed.'
  },

  'trading:waiting-limit': async (context) => {
    const { argument = '' } = context
    if (argument !== 'none' && !/^\d{1,9}$/.test(argument)) return usage('name a number, or none')
    const limit = argument === 'none' ? null : Number(argument)
    if (limit !== null && limit < 200) return usage('a quick-buy of 200 items must fit in')
    await setWaitingLimit(context, context.actor, { limit, reason: reasonOf(context) })
    return `Of a merchant ${limit ?? 'any number of'} items may wait at each market.`
  },

  'market:enable': (context) => setMarket(context, true),
  'market:disable': (context) => setMarket(context, false),

  'placing:open': async (context) => {
    const reason = reasonOf(context)
    const { argument } = context
    const market = argument === BOTS || argument === PAYMENTS ? argument : marketOf(context)
    await openPlacing(context, context.actor, { market, reason })
    if (market === BOTS) return 'Sells that were held back are offered again.'
    if (market === PAYMENTS) return 'Withdrawals are approved and paid again.'
    return `Purchases at ${market} are placed again; held-back items are looked up one by one.`
  },

  'bot:forget': async (context) => {
    const bot = context.argument ?? usage('bot:forget needs the platform id of a bot')
    const deps = { ...context, forget: context.forgetBot }
    await forgetBot(deps, context.actor, { bot, reason: reasonOf(context) })
    return 'After a restore no sell waits for what this bot sent.'
  },
}

async function setMarket(context: Context, enabled: boolean): Promise<string> {
  const market = marketOf(context)
  const reason = context.options.reason ?? null
  await switchMarket(context, context.actor, { market, enabled, reason })
  return `${market} is ${enabled ? 'on' : 'off'}.`
}

const marketOf = ({ argument, markets }: Context): MarketId =>
  markets.find((id) => id === argument) ?? usage(`name ${namesOf(markets)}`)
