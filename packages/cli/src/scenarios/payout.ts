// Payouts in the sandbox that lead to a requested event: its faucet puts tokens into custody, and its chains
// pay or refuse. The approval is the merchant's own: its callback must let these withdrawals go.
import { centsOf } from '../cli.ts'
import { CommandError } from '../failure.ts'
import { type ErrorKey, type EventType, TradepostError } from '../sdk.ts'
import { money } from '../text.ts'
import { control, type Scenario, type Stage } from './stage.ts'

const CHAIN = 'ethereum'
/** Has no key: what arrives there stays. */
const RECEIVER = '0x000000000000000000000000000000000000dEaD'
/** A price feed of the sandbox's chain: a contract that takes no coins. */
const REFUSING = '0x5f4eC3Df9cbd43714FE2740f5E3616155c5b8419'

export const PAYOUT_SCENARIOS: Readonly<Partial<Record<EventType, Scenario>>> = {
  'payout.crypto.deposit.completed': {
    what: 'tokens that arrive in payout custody',
    takes: ['amount'],
    run: (stage) => fund(stage, { token: 'USDC', amount: stage.data.amount ?? '50' }),
  },
  'payout.crypto.withdraw.broadcast': {
    what: 'a withdrawal that your callback approves',
    takes: ['amount', 'externalId', 'to'],
    run: (stage) => withdraw(stage, { token: 'USDC', destination: stage.data.to ?? RECEIVER }),
  },
  'payout.crypto.withdraw.confirmed': {
    what: 'a withdrawal that your callback approves',
    takes: ['amount', 'externalId', 'to'],
    run: (stage) => withdraw(stage, { token: 'USDC', destination: stage.data.to ?? RECEIVER }),
  },
  'payout.crypto.withdraw.refunded': {
    what: 'a withdrawal that its receiver does not take',
    takes: ['amount', 'externalId'],
    run: (stage) => withdraw(stage, { token: 'NATIVE', destination: REFUSING }),
  },
}

/** The id of the deposit into custody. */
async function fund(
  stage: Stage,
  { token, amount }: { readonly token: string; readonly amount: string },
): Promise<string> {
  const { environment, tradepost } = stage
  const { signal } = environment
  const { address, chains } = await tradepost.payouts.address({}, { signal })
  if (!chains.includes(CHAIN)) throw new CommandError(`${CHAIN} is switched off.`)
  // Another trigger may fill custody at the same moment, with another token.
  const newest = async (): Promise<string | null> => {
    for await (const deposit of tradepost.payouts.deposits({ limit: 20 }, { signal })) {
      if (deposit.token === token) return deposit.id
    }
    return null
  }
  const before = await newest()
  await control(stage, `chains/${CHAIN}/faucet`, { address, token, amount })
  environment.terminal.note(`sent     ${amount} ${token} to ${address}`)
  return looked(stage, 'The tokens were not seen.', async () => {
    const now = await newest()
    return now === before ? null : now
  })
}

async function withdraw(
  stage: Stage,
  { token, destination }: { readonly token: 'USDC' | 'NATIVE'; readonly destination: string },
): Promise<string> {
  const { environment, tradepost } = stage
  const { externalId = `trigger-${environment.newId()}`, amount = '5.00' } = stage.data
  const amountCents = centsOf(amount)
  const wanted = { externalId, chain: CHAIN, token, destination, amountCents } as const
  const submit = () => tradepost.payouts.withdraw(wanted).catch(withoutCallback)
  // The balance is checked last: custody is filled only for a withdrawal that nothing else refuses.
  const { id } = await submit().catch(async (error: unknown) => {
    if (!isRefusal(error, 'CRYPTO_PAYOUT_INSUFFICIENT_BALANCE')) throw error
    await fillCustody(stage, { token, amount })
    return submit()
  })
  environment.terminal.note(`asked    for ${amount} USD in ${token}: withdrawal ${id}`)
  return id
}

/** Ten times what is asked for; of a coin, as much as a small amount takes. */
async function fillCustody(
  stage: Stage,
  { token, amount }: { readonly token: 'USDC' | 'NATIVE'; readonly amount: string },
): Promise<void> {
  const cents = 10 * centsOf(amount)
  const coinCents = Math.max(100, Math.ceil(cents / 1000))
  const deposit = await fund(stage, {
    token,
    amount: money((token === 'NATIVE' ? coinCents : cents) / 100),
  })
  await looked(stage, 'The tokens were not credited.', async () => {
    for await (const { id, status } of stage.tradepost.payouts.deposits({ limit: 20 })) {
      if (id === deposit) return status === 'completed' ? id : null
    }
    return null
  })
}

const isRefusal = (error: unknown, key: ErrorKey): boolean =>
  error instanceof TradepostError && error.key === key

function withoutCallback(error: unknown): never {
  if (!isRefusal(error, 'CRYPTO_PAYOUT_NO_CALLBACK_URL')) throw error
  throw new CommandError(
    'There is no callback that could approve it. Nothing was moved.',
    undefined,
    [
      'Register one on the dashboard, page Payouts, tab Destinations; or in the folder of the repository:',
      'npm run ops -- webhook:set http://127.0.0.1:4000/hook --merchant merchant@demo.tradepost.example',
    ],
  )
}

const LOOK_EVERY_MS = 500
const LOOKS = 120

async function looked(
  { environment }: Stage,
  otherwise: string,
  look: () => Promise<string | null>,
): Promise<string> {
  for (let i = 0; i < LOOKS; i++) {
    const found = await look()
    if (found !== null) return found
    await environment.sleep(LOOK_EVERY_MS)
    environment.signal.throwIfAborted()
  }
  throw new CommandError(otherwise)
}
