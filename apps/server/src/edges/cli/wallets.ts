// The wallets that we sign from, on the command line.
import type { Hex } from '#kernel/chain'
import { settleDisplacedPayment, switchWallet } from '#operations'
import { type KeyRef, listDisplacedFinals, listWallets } from '#outbound'
import type { Context } from './context.ts'
import { AS_JSON, argument, command, option, REASON, wrong } from './declare.ts'
import { json, table } from './table.ts'

export const hash = (text: string): Hex =>
  /^0x[0-9a-f]{64}$/i.test(text)
    ? (text.toLowerCase() as Hex)
    : wrong('A hash is 0x and 64 hexadecimal digits.')

const WALLET = argument('<chain:key>', 'such as base:hot', (text) => {
  const [, chain, key] = /^([^:]*):(hot|gas|deposit\/\d+)$/.exec(text) ?? []
  if (chain === undefined) return wrong('It is a wallet, such as base:hot.')
  return { chain, keyRef: key as KeyRef }
})
const HASHES = option('--hash <hash,...>', 'the transactions that took our nonces', (text) =>
  text.split(',').map(hash),
)

export const walletCommands = [
  command(
    'wallets [list]',
    'the wallets that we sign from, and what counts as paid and has to be paid by hand',
    AS_JSON,
  ).does(async ({ db }, options) => {
    const wallets = await listWallets(db)
    if (options.json) return json(wallets)
    if (wallets.length === 0) return 'No wallet has signed anything yet.'
    const listed = table(
      wallets.map((one) => ({ ...one })),
      ['chain', 'keyRef', 'address', 'nextNonce', 'state', 'haltedReason'],
    )
    const displaced = await listDisplacedFinals(db)
    return displaced.length === 0 ? listed : `${listed}\n\n${displacedTable(displaced)}`
  }),

  command('wallets halt', 'sign and send nothing from a wallet', WALLET, REASON).does(
    async (context, wallet, options) => {
      await set(context, wallet, true, options)
      return 'Nothing is signed or sent from it any more.'
    },
  ),
  command(
    'wallets reopen',
    'have a halted wallet compared with its chain, and opened',
    ...[WALLET, REASON, HASHES],
  ).does(async (context, wallet, options) => {
    await set(context, wallet, false, options)
    return 'A worker compares it with the chain and opens it. `wallets list` shows why when it stays halted.'
  }),

  command(
    'wallets settle',
    'record what was done about a payment that counts as paid and lost its nonce',
    argument('<hash>', 'of the payment', hash),
    REASON,
  ).does(async (context, hash, { reason }) => {
    await settleDisplacedPayment(context, context.actor, { hash, reason })
    return 'Recorded. It is not listed any more.'
  }),
]

const set = (
  context: Context,
  wallet: { readonly chain: string; readonly keyRef: KeyRef },
  halt: boolean,
  { reason, hash: foreignHashes = [] }: { readonly reason: string; readonly hash?: Hex[] },
) => switchWallet(context, context.actor, wallet, { halt, reason, foreignHashes })

const displacedTable = (displaced: Awaited<ReturnType<typeof listDisplacedFinals>>): string =>
  `Never final again as they are booked: other transactions have their nonces, or they were mined again and
ended differently. Nothing moves by itself: docs/runbooks/foreign-nonce.md, step 6. “wallets settle <hash>”
records what was done.
${table(
  displaced.map((one) => ({ ...one })),
  [
    ...['displacedAt', 'chain', 'keyRef', 'purpose', 'refId', 'booked', 'recipient', 'token'],
    ...['units', 'nonce', 'hash'],
  ],
)}`
