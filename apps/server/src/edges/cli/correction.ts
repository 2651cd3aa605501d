// Corrections of a wallet's balance on the command line: its opening, a loss. The posting is shown first.
import { isUuid, newId } from '#kernel/id'
import {
  bookCorrection,
  type CorrectionPlan,
  type PlannedCorrection,
  planCorrection,
} from '#operations'
import { type Context, reasonOf, usage } from './invocation.ts'

type Request = Parameters<typeof planCorrection>[1]

/**
 * `wallets opening <chain>:hot|gas --token <symbol> [--units <base units>] --reason <text> [--yes]`: made
 * with `--yes`.
 */
export const opening = (context: Context, chain: string, key: string): Promise<string> =>
  correct(context, chain, {
    ...{ id: newId(), kind: 'opening', counterpart: 'capital' },
    ...walletOf(context, key),
  })

/**
 * `wallets loss <chain>:hot|gas --token <symbol> [--units <base units>] [--as capital] --reason <text>
 * [--id <id> --yes]`: made with `--yes`, the units and the id that were shown; once, however often it runs.
 */
export const loss = (context: Context, chain: string, key: string): Promise<string> => {
  const { id = '', as = 'unexplained', units, yes } = context.options
  if (as !== 'unexplained' && as !== 'capital') return usage('--as is unexplained or capital')
  if (yes && (!isUuid(id) || units === undefined))
    return usage('--yes needs the --id and the --units that were shown')
  return correct(context, chain, {
    ...{ id: isUuid(id) ? id : newId(), kind: 'loss', counterpart: as },
    ...walletOf(context, key),
  })
}

function walletOf({ options }: Context, key: string): Pick<Request, 'role' | 'token' | 'units'> {
  if (key !== 'hot' && key !== 'gas') return usage('name a hot or a gas wallet')
  return {
    role: key === 'hot' ? 'hot_wallet' : 'gas_station',
    token: options.token ?? usage('name a token with --token, such as USDC or NATIVE'),
    units: unitsOf(options.units),
  }
}

async function correct(context: Context, chain: string, request: Request): Promise<string> {
  const { options, actor } = context
  const reason = reasonOf(context)
  const plan = await planAt(context, chain, request)
  if (plan.kind === 'posted') return 'It is posted already.'
  if (plan.kind !== 'planned') return usage(refusalOf(plan, request.kind))
  const text = shown(plan.correction)
  if (!options.yes) return `${text}\nNothing is posted yet. ${confirmation(plan.correction)}`
  const isPosted = await bookCorrection(context, actor, plan.correction, reason)
  return isPosted ? `${text}\nPosted.` : usage('the books have moved meanwhile: run it again')
}

const planAt = (
  { db, treasury, withChains }: Context,
  chain: string,
  request: Request,
): Promise<CorrectionPlan> =>
  withChains((chains) => {
    const found = chains.find(({ node }) => node.chain === chain)
    if (found === undefined) return usage('name a chain that is switched on')
    return planCorrection({ db, ...found, treasury }, request)
  })

function unitsOf(text: string | undefined): bigint | null {
  if (text === undefined) return null
  return /^[1-9]\d{0,77}$/.test(text) ? BigInt(text) : usage('--units is a number of base units')
}

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
