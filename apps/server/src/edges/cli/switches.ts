// Trading and markets switched on and off on the command line.
import type { MarketId } from '#kernel/market-id'
import {
  forgetBot,
  openPlacing,
  pauseTrading,
  recordCopy,
  resumeTrading,
  setWaitingLimit,
  switchMarket,
} from '#operations'
import { BOTS, PAYMENTS } from '#reconciliation'
import type { Context } from './context.ts'
import { argument, command, type Declared, REASON, WHY, wrong } from './declare.ts'

export const switchCommands = (markets: readonly MarketId[]): readonly Declared[] => [
  command(
    'trading:pause',
    'refuse new buys and sells with SERVICE_DISABLED; merchants read the reason',
    REASON,
  ).does(async (context, { reason }) => {
    await pauseTrading(context, context.actor, reason)
    return 'Trading is paused: new buys and sells are refused, trades under way go on.'
  }),

  command('trading:resume', 'take new buys and sells again', REASON).does(
    async (context, { reason }) => {
      await resumeTrading(context, context.actor, reason)
      return 'Trading is resumed.'
    },
  ),

  command(
    'market:enable',
    'buy at a market again',
    argument('<market>', 'which', markets),
    WHY,
  ).does((context, market, { reason }) => setMarket(context, market, true, reason)),
  command(
    'market:disable',
    'buy nothing at a market',
    argument('<market>', 'which', markets),
    WHY,
  ).does((context, market, { reason }) => setMarket(context, market, false, reason)),

  command(
    'placing:open',
    'after a restore: buy at a market, offer sells or pay withdrawals again, where the comparison did not open it ' +
      '(docs/runbooks/placing-gate.md)',
    argument('<gate>', 'a market, the sells to our bots, or withdrawals', [
      ...markets,
      BOTS,
      PAYMENTS,
    ]),
    REASON,
  ).does(async (context, gate, { reason }) => {
    await openPlacing(context, context.actor, { market: gate, reason })
    if (gate === BOTS) return 'Sells that were held back are offered again.'
    if (gate === PAYMENTS) return 'Withdrawals are approved and paid again.'
    return `Purchases at ${gate} are placed again; held-back items are looked up one by one.`
  }),
]

function limitOf(text: string): number | null {
  if (text === 'none') return null
  if (!/^\d{1,9}$/.test(text)) return wrong('It is a number, or none.')
  return Number(text) >= 200 ? Number(text) : wrong('A quick-buy of 200 items must fit in.')
}

export const waitingLimitCommand = command(
  'trading:waiting-limit',
  'set how many items of a merchant may wait at a market; 300 unless set',
  argument('<number or none>', 'at least 200', limitOf),
  REASON,
).does(async (context, limit, { reason }) => {
  await setWaitingLimit(context, context.actor, { limit, reason })
  return `Of a merchant ${limit ?? 'any number of'} items may wait at each market.`
})

export const botCommand = command(
  'bot:forget',
  'forget a bot that is no longer ours: after a restore no sell waits for what it sent',
  argument('<platform id>', 'of the bot'),
  REASON,
).does(async (context, bot, { reason }) => {
  const deps = { ...context, forget: context.forgetBot }
  await forgetBot(deps, context.actor, { bot, reason })
  return 'After a restore no sell waits for what this bot sent.'
})

export const backupCommand = command(
  'backup:record',
  'record that another program has taken a copy of the database now, or that one was restored and audited',
  argument('<what>', 'which of the two', ['taken', 'rehearsed']),
  REASON,
).does(async (context, what, { reason }) => {
  await recordCopy(context, context.actor, { what, reason })
  return what === 'taken' ? 'A copy was taken now.' : 'A copy was restored and audited now.'
})

async function setMarket(
  context: Context,
  market: MarketId,
  enabled: boolean,
  reason: string | null = null,
): Promise<string> {
  await switchMarket(context, context.actor, { market, enabled, reason })
  return `${market} is ${enabled ? 'on' : 'off'}.`
}
