// The opening balance of a wallet on the command line. The posting is shown first, and made with --yes.
import { createHttpClient } from '#infra/http-client'
import { createLog } from '#infra/log'
import { createMetrics } from '#infra/metrics'
import { bookOpening, type OpeningPlan, type PlannedOpening, planOpening } from '#operations'
import { findUpstreams } from '../config.ts'
import { openChains } from '../open-chains.ts'
import { type Context, reasonOf, usage } from './invocation.ts'

/** `wallets opening <chain>:hot|gas --token <symbol> [--units <base units>] --reason <text> [--yes]` */
export async function opening(context: Context, chain: string, key: string): Promise<string> {
  const { options, actor } = context
  if (key !== 'hot' && key !== 'gas') return usage('an opening is of a hot or a gas wallet')
  const request = {
    role: key === 'hot' ? 'hot_wallet' : 'gas_station',
    token: options.token ?? usage('an opening needs --token, such as USDC or NATIVE'),
    units: unitsOf(options.units),
  } as const
  const reason = reasonOf(context)
  const plan = await planAt(context, chain, request)
  if (plan.kind !== 'planned') return usage(refusalOf(plan))
  const text = shown(plan.opening)
  if (!options.yes) {
    return `${text}\nNothing is posted yet. Run the command again with --yes to post it.`
  }
  const isPosted = await bookOpening(context, actor, plan.opening, reason)
  return isPosted ? `${text}\nPosted.` : usage('the books have moved meanwhile: run it again')
}

async function planAt(
  { db, clock, config }: Context,
  chain: string,
  request: Parameters<typeof planOpening>[1],
): Promise<OpeningPlan> {
  const log = createLog({ level: 'silent' })
  const http = createHttpClient({ log, metrics: createMetrics() })
  try {
    const chains = openChains({ config, upstreams: findUpstreams(config), clock, log }, http)
    const found = chains.find(({ node }) => node.chain === chain)
    if (found === undefined) return usage('name a chain that is switched on')
    return await planOpening({ db, ...found, treasury: config.treasuryAddress }, request)
  } finally {
    await http.close()
  }
}

function unitsOf(text: string | undefined): bigint | null {
  if (text === undefined) return null
  return /^[1-9]\d{0,77}$/.test(text) ? BigInt(text) : usage('--units is a number of base units')
}

function refusalOf(plan: Exclude<OpeningPlan, { kind: 'planned' }>): string {
  switch (plan.kind) {
    case 'too_much':
      return plan.unbooked > 0n
        ? `the chain shows ${plan.unbooked} base units more than the books, and not so many`
        : 'the books have all that the chain shows'
    case 'unknown_token':
      return 'the token is not accepted on the chain'
    case 'moving':
      return 'transactions of ours are under way on the chain: try again when they are final'
    case 'replaced':
      return 'the newest scanned block is not the node’s: try again when the chain was scanned further'
    case 'unavailable':
      return 'the chain cannot be compared with the books now: see `npm run ops -- chains`'
  }
}

const shown = (planned: PlannedOpening): string => {
  const { chain, role, token, units, block, onChain, inBooks } = planned
  return [
    `debit    ${role} on ${chain}`,
    'credit   capital',
    `units    ${units} base units of ${token}`,
    `books    ${inBooks} -> ${inBooks + units}`,
    `chain    ${onChain} at block ${block}`,
  ].join('\n')
}
