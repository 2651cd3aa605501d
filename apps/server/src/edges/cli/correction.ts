// Corrections of a wallet's balance on the command line: its opening, a loss. The posting is shown first.
import { newId } from '#kernel/id'
import {
  bookCorrection,
  type CorrectionPlan,
  type PlannedCorrection,
  planCorrection,
} from '#operations'
import { type Context, fail, usage } from './context.ts'
import { argument, command, needs, option, REASON, uuid, wrong } from './declare.ts'

type Request = Parameters<typeof planCorrection>[1]

const ROLES = { hot: 'hot_wallet', gas: 'gas_station' } as const

const WALLET = argument('<chain:key>', 'a hot or a gas wallet, such as base:hot', (text) => {
  const [, chain, key] = /^([^:]*):(hot|gas)$/.exec(text) ?? []
  if (chain === undefined) return wrong('It is a hot or a gas wallet, such as base:hot.')
  return { chain, role: ROLES[key as keyof typeof ROLES] }
})
const TOKEN = needs('--token <symbol>', 'such as USDC or NATIVE')
const UNITS = option('--units <base units>', 'without, all that is not booked', (text) =>
  /^[1-9]\d{0,77}$/.test(text) ? BigInt(text) : wrong('It is a number of base units.'),
)
const YES = option('--yes', 'post what is shown without it')

export const correctionCommands = [
  command(
    'wallets opening',
    'book what a wallet held before the service knew of it, at most what the chain shows',
    ...[WALLET, TOKEN, UNITS, REASON, YES],
  ).does((context, wallet, options) =>
    correct(context, wallet, options, {
      ...{ id: newId(), kind: 'opening', counterpart: 'capital' },
    }),
  ),
  // Posted once, however often it runs.
  command(
    'wallets loss',
    'book what a foreign transaction cost, or (--as capital) an operator took out, at most what two nodes show less ' +
      'than the books; --units, --id and --yes as shown post it',
    ...[WALLET, TOKEN, UNITS],
    option('--as <what>', 'what it became', ['unexplained', 'capital'], 'unexplained'),
    ...[REASON, option('--id <id>', 'that was shown', uuid), YES],
  ).does(async (context, wallet, { as, id, ...options }) => {
    if (options.yes && (id === undefined || options.units === undefined)) {
      return usage('--yes needs the --id and the --units that were shown')
    }
    const what = { id: id ?? newId(), kind: 'loss', counterpart: as } as const
    return correct(context, wallet, options, what)
  }),
]

interface Correction {
  readonly token: string
  readonly units?: bigint
  readonly reason: string
  readonly yes?: true
}

async function correct(
  context: Context,
  { chain, role }: { readonly chain: string; readonly role: Request['role'] },
  { token, units, reason, yes }: Correction,
  what: Pick<Request, 'id' | 'kind' | 'counterpart'>,
): Promise<string> {
  const plan = await planAt(context, chain, { ...what, role, token, units: units ?? null })
  if (plan.kind === 'posted') return 'It is posted already.'
  if (plan.kind !== 'planned') return fail(refusalOf(plan, what.kind))
  const text = shown(plan.correction)
  if (!yes) return `${text}\nNothing is posted yet. ${confirmation(plan.correction)}`
  const isPosted = await bookCorrection(context, context.actor, plan.correction, reason)
  return isPosted ? `${text}\nPosted.` : fail('the books have moved meanwhile: run it again')
}

const planAt = (
  { db, treasury, withChains }: Context,
  chain: string,
  request: Request,
): Promise<CorrectionPlan> =>
  withChains((chains) => {
    const found = chains.find(({ node }) => node.chain === chain)
    if (found === undefined) return fail('name a chain that is switched on')
    return planCorrection({ db, ...found, treasury }, request)
  })

function refusalOf(
  plan: Exclude<CorrectionPlan, { kind: 'planned' | 'posted' }>,
  kind: Request['kind'],
): string {
  const than = kind === 'opening' ? 'more than' : 'less than'
  switch (plan.kind) {
    case 'too_much':
      return plan.unbooked > 0n
        ? `the chain shows ${plan.unbooked} base units ${than} the books, and not so many`
        : `the chain does not show ${than} the books`
    case 'id_taken':
      return 'the id is of another posting'
    case 'unknown_token':
      return 'the token is not accepted on the chain; ETH and BNB are named NATIVE'
    case 'moving':
      return 'transactions of ours or refills are under way: try again when they are final'
    case 'replaced':
      return 'the newest scanned block is not the node’s: try again when the chain was scanned further'
    case 'unavailable':
      return 'the chain cannot be compared with the books now: see `npm run ops -- chains`'
    case 'no_second_node':
      return 'a loss needs a second node of the chain: set CHAIN_<ID>_SECOND_RPC_URLS'
    case 'second_node_differs':
      return 'the second node shows another shortage: one of the two answers falsely, or lags'
  }
}

const shown = (planned: PlannedCorrection): string => {
  const { kind, chain, role, token, counterpart, units, block, onChain, inBooks } = planned
  const wallet = `${role} on ${chain}`
  const isOpening = kind === 'opening'
  return [
    `debit    ${isOpening ? wallet : counterpart}`,
    `credit   ${isOpening ? counterpart : wallet}`,
    `units    ${units} base units of ${token}`,
    `books    ${inBooks} -> ${isOpening ? inBooks + units : inBooks - units}`,
    `chain    ${onChain} at block ${block}`,
  ].join('\n')
}

const confirmation = ({ kind, id, units }: PlannedCorrection): string =>
  kind === 'opening'
    ? 'Run the command again with --yes to post it.'
    : `Run the command again with --units ${units} --id ${id} --yes to post it.`
