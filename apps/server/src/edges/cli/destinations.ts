// Where a merchant's withdrawals may go, on the command line.
import { changeDestinations } from '#operations'
import { listDestinations, parseDestination } from '#payouts'
import { type Context, merchantOf } from './context.ts'
import { AS_JSON, argument, command, MERCHANT, wrong } from './declare.ts'
import { json, table } from './table.ts'

const ADDRESS = argument(
  '<address>',
  'at the chain',
  (text) => parseDestination(text) ?? wrong('It is no address.'),
)

export const destinationCommands = [
  command('destinations [list]', "where a merchant's withdrawals may go", MERCHANT, AS_JSON).does(
    async (context, options) => {
      const found = await listDestinations(context.db, await merchantOf(context, options))
      if (options.json) return json(found)
      if (found.length === 0)
        return 'No destination is listed: `npm run ops -- destinations add <address>` lists one.'
      return table(
        found.map((one) => ({ ...one })),
        ['address', 'usableFrom'],
      )
    },
  ),
  command('destinations add', 'list a new address, which waits for a day', ADDRESS, MERCHANT).does(
    async (context, address, options) => {
      await change(context, options, { kind: 'add', address })
      return 'It can be used after a day.'
    },
  ),
  command('destinations remove', 'take an address from the list', ADDRESS, MERCHANT).does(
    async (context, address, options) => {
      await change(context, options, { kind: 'remove', address })
      return 'It is removed.'
    },
  ),
  command('destinations only', 'let withdrawals go to listed addresses only', MERCHANT).does(
    async (context, options) => {
      await change(context, options, { kind: 'only_known', on: true })
      return 'Withdrawals go only to listed destinations.'
    },
  ),
  command('destinations any', 'let withdrawals go anywhere', MERCHANT).does(
    async (context, options) => {
      await change(context, options, { kind: 'only_known', on: false })
      return 'Any destination is allowed.'
    },
  ),
]

const change = async (
  context: Context,
  options: { readonly merchant?: string },
  what: Parameters<typeof changeDestinations>[3],
) => changeDestinations(context, context.actor, await merchantOf(context, options), what)
