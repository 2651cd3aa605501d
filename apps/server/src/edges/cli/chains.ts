// Chains on the command line: what is scanned, what waits, and the switch of each.
import { CHAIN_IDS, type ChainId, listChains, listUnsupported } from '#chains'
import { haltChain, namePayment, resumeChain } from '#operations'
import { type Command, type Context, reasonOf, usage } from './invocation.ts'
import { json, table } from './table.ts'

/** The newest are shown. */
const UNSUPPORTED_SHOWN = 100

export const chainCommands: Readonly<Record<string, Command>> = {
  chains: async ({ db, options }) => {
    const chains = (await listChains(db)).map(({ cursor, ...chain }) => ({
      ...chain,
      block: cursor?.number ?? null,
    }))
    if (options.json) return json(chains, 2)
    return table(chains, ['chain', 'block', 'scannedAt', 'pending', 'haltedAt', 'haltedReason'])
  },

  'chain:halt': async (context) => {
    const chain = chainOf(context)
    await haltChain(context, context.actor, { chain, reason: reasonOf(context) })
    return `${chain} is halted: nothing is scanned, credited or swept on it.`
  },

  'chain:resume': async (context) => {
    const chain = chainOf(context)
    await resumeChain(context, context.actor, { chain, reason: reasonOf(context) })
    return `${chain} is resumed; scanning goes on where it ended.`
  },

  'chain:name-payment': async (context) => {
    const chain = chainOf(context)
    const { address = '', hash = '' } = context.options
    if (!/^0x[0-9a-fA-F]{40}$/.test(address)) usage('give --address, the one that was paid')
    if (!/^0x[0-9a-fA-F]{64}$/.test(hash)) usage('give --hash, of the transaction that paid it')
    const named = { chain, address, txHash: hash.toLowerCase(), reason: reasonOf(context) }
    await namePayment(context, context.actor, named)
    return `The next comparison of ${chain} reads ${named.txHash}, and records what ${address} has.`
  },

  'chain:unsupported': async ({ db, options }) => {
    const tokens = (await listUnsupported(db, UNSUPPORTED_SHOWN)).map((token) => ({ ...token }))
    if (options.json) return json(tokens, 2)
    if (tokens.length === 0) return 'No deposit came in an unsupported token.'
    return table(tokens, [
      'lastSeenAt',
      'chain',
      'symbol',
      'contract',
      'address',
      'seen',
      'lastTxHash',
    ])
  },
}

const chainOf = ({ argument }: Context): ChainId =>
  CHAIN_IDS.find((id) => id === argument) ?? usage(`name ${CHAIN_IDS.join(', ')}`)
