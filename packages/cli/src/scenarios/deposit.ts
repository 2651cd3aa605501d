// Deposits in the sandbox that lead to a requested event: its control interface pays, ends and pays back.
import { centsOf } from '../cli.ts'
import { CommandError } from '../failure.ts'
import type { EventType } from '../sdk.ts'
import { behalfWords } from '../shell-words.ts'
import { money } from '../text.ts'
import { control, type Scenario, type Stage } from './stage.ts'

const AMOUNT_USD = '50.00'
const TAKES = ['amount'] as const

export const DEPOSIT_SCENARIOS: Readonly<Partial<Record<EventType, Scenario>>> = {
  'deposit.initiated': { what: 'a gateway deposit', takes: TAKES, run: paidWith() },
  'deposit.pending': { what: 'a gateway deposit that is paid', takes: TAKES, run: paidWith() },
  'deposit.completed': { what: 'a gateway deposit that is paid', takes: TAKES, run: paidWith() },
  'deposit.partial': {
    what: 'a gateway deposit that ends half paid',
    takes: TAKES,
    run: async (stage) => {
      const id = await paidWith((cents) => ({ amount: money(Math.floor(cents / 2) / 100) }))(stage)
      await untilStatus(stage, id, 'pending')
      await control(stage, `gateway/${id}/expire`)
      return id
    },
  },
  'deposit.expired': {
    what: 'a gateway deposit that ends unpaid',
    takes: TAKES,
    run: async (stage) => {
      const id = await create(stage)
      await control(stage, `gateway/${id}/expire`)
      return id
    },
  },
  'deposit.cancelled': {
    what: 'a gateway deposit that is cancelled',
    takes: TAKES,
    run: async (stage) => {
      const id = await create(stage)
      await stage.account.deposits.cancel(id)
      return id
    },
  },
  'deposit.refunded': {
    what: 'a gateway deposit that the provider pays back',
    takes: TAKES,
    run: async (stage) => {
      const id = await paidWith()(stage)
      await untilStatus(stage, id, 'completed')
      await control(stage, `gateway/${id}/refund`, { amount: amountOf(stage), state: 'refunded' })
      return id
    },
  },
  'deposit.failed': {
    what: 'a card deposit whose payer gives up',
    takes: TAKES,
    run: async (stage) => {
      const { deposits } = stage.account
      const { quoteToken } = await deposits.quoteCard({
        payAmount: Number(stage.data.amount ?? 60),
        payCurrency: 'USD',
      })
      const { fundingId } = await deposits.createCard({ quoteToken })
      await control(stage, `onramp/${fundingId}/fail`, { reason: 'abandoned' })
      return fundingId
    },
  },
}

const amountOf = ({ data }: Stage): string => data.amount ?? AMOUNT_USD

/** `payment`: what is paid of the amount, which is in cents; all of it by default. */
function paidWith(
  payment = (_cents: number): { readonly amount?: string } => ({}),
): Scenario['run'] {
  return async (stage) => {
    const id = await create(stage)
    await control(stage, `gateway/${id}/pay`, payment(centsOf(amountOf(stage))))
    return id
  }
}

async function create(stage: Stage): Promise<string> {
  const { deposits } = stage.account
  const { signal, terminal } = stage.environment
  const { currencies } = await deposits.chains({ signal })
  const chain = currencies.find(({ currency }) => currency === 'USDT')?.chains[0]
  if (chain === undefined) throw new CommandError('The gateway of the sandbox is switched off.')
  const { quoteToken } = await deposits.quote({ amount: amountOf(stage) })
  const { fundingId, payAmountToken } = await deposits.create({ quoteToken, chain })
  terminal.note(`created  deposit ${fundingId} of ${payAmountToken} USDT`)
  return fundingId
}

const LOOK_EVERY_MS = 500
const LOOKS = 60

async function untilStatus({ environment, account, data }: Stage, id: string, wanted: string) {
  for (let look = 0; look < LOOKS; look++) {
    const { status } = await account.deposits.get(id, { signal: environment.signal })
    if (status === wanted) return
    await environment.sleep(LOOK_EVERY_MS)
    environment.signal.throwIfAborted()
  }
  throw new CommandError(`The deposit did not become ${wanted}.`, undefined, [
    `Its state: ${environment.commandLine(`deposits show ${id}${behalfWords(data)}`)}`,
  ])
}
