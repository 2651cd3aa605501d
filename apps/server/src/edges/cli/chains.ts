// Chains on the command line: what is scanned, what waits, and the switch of each.
import { CHAIN_IDS, listChains, listUnsupported } from '#chains'
import { haltChain, namePayment, resumeChain } from '#operations'
import { AS_JSON, argument, command, needs, REASON, wrong } from './declare.ts'
import { json, table } from './table.ts'
import { hash } from './wallets.ts'

/** The newest are shown. */
const UNSUPPORTED_SHOWN = 100

const CHAIN = argument('<chain>', 'which', CHAIN_IDS)
const address = (text: string): string =>
  /^0x[0-9a-f]{40}$/i.test(text) ? text : wrong('It is 0x and 40 hexadecimal digits.')

export const chainCommands = [
  command('chains', 'how far each chain is scanned, and what waits on it', AS_JSON).does(
    async ({ db }, options) => {
      const chains = (await listChains(db)).map(({ cursor, ...chain }) => ({
        ...chain,
        block: cursor?.number ?? null,
      }))
      if (options.json) return json(chains, 2)
      return table(chains, ['chain', 'block', 'scannedAt', 'pending', 'haltedAt', 'haltedReason'])
    },
  ),

  command('chain:halt', 'scan, credit and sweep nothing on a chain', CHAIN, REASON).does(
    async (context, chain, { reason }) => {
      await haltChain(context, context.actor, { chain, reason })
      return `${chain} is halted: nothing is scanned, credited or swept on it.`
    },
  ),

  command('chain:resume', 'scan a chain again, from where that ended', CHAIN, REASON).does(
    async (context, chain, { reason }) => {
      await resumeChain(context, context.actor, { chain, reason })
      return `${chain} is resumed; scanning goes on where it ended.`
    },
  ),

  command(
    'chain:name-payment',
    'say by what transaction native coin came that only a balance shows',
    CHAIN,
    needs('--address <ours>', 'the one that was paid', address),
    needs('--hash <transaction>', 'of the transaction that paid it', hash),
    REASON,
  ).does(async (context, chain, { address, hash: txHash, reason }) => {
    const named = { chain, address, txHash, reason }
    await namePayment(context, context.actor, named)
    return `The next comparison of ${chain} reads ${named.txHash}, and records what ${address} has.`
  }),

  command('chain:unsupported', 'deposits in unsupported tokens, newest first', AS_JSON).does(
    async ({ db }, options) => {
      const tokens = (await listUnsupported(db, UNSUPPORTED_SHOWN)).map((token) => ({ ...token }))
      if (options.json) return json(tokens, 2)
      if (tokens.length === 0) return 'No deposit came in an unsupported token.'
      return table(tokens, [
        ...['lastSeenAt', 'chain', 'symbol', 'contract', 'address', 'seen', 'lastTxHash'],
      ])
    },
  ),
]
