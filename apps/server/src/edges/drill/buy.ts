// Purchases of the drill at one market: one that is accepted, one that is declined, one that is left without
// an answer, and one id that is sent twice. They belong to no trade of the service; each is in the audit log
// before it is sent, so that the reason of its order at the market is found.
import type { Market, OrderUpdate, Purchase } from '#buying'
import type { SourceListing } from '#catalog'
import type { SendGuard } from '#infra/jobs/send-guard'
import type { Clock } from '#infra/process/clock'
import {
  asExpected,
  type Check,
  type CheckContext,
  differs,
  type Finding,
  notTried,
  type TestBuyer,
} from '#kernel/check'
import { newId } from '#kernel/id'
import { formatMills, type Mills, mills } from '#kernel/money'
import type { Supplier } from './tools.ts'

export interface Budget {
  readonly leftMills: () => Mills
  /** False, and nothing is taken: it has less. */
  take(amount: Mills): boolean
  giveBack(amount: Mills): void
}

export interface BuyTools {
  readonly supplier: Supplier
  readonly testBuyer: TestBuyer
  readonly guard: SendGuard
  readonly budget: Budget
  readonly clock: Clock
  /** An abort ends it early. */
  readonly pause: (milliseconds: number, signal: AbortSignal) => Promise<void>
  readonly say: (line: string) => void
  /** Commits what is about to be bought. */
  readonly record: (purchase: Recorded) => Promise<void>
  /** How long a buyer has for an answer. */
  readonly patienceMs: number
}

export interface Recorded {
  readonly market: string
  readonly customId: string
  readonly rawListingId: string
  readonly marketHashName: string
  readonly ceilingMills: Mills
}

interface Placed {
  readonly customId: string
  readonly orderId: string
  readonly listing: SourceListing
}

/** What the buyer does, and the states that it must lead to. */
const STEPS = {
  accept: { asks: 'accept', ends: ['hold', 'completed'] },
  decline: { asks: 'decline', ends: ['declined'] },
  expire: { asks: 'do not answer', ends: ['declined'] },
} as const satisfies Readonly<
  Record<string, { readonly asks: string; readonly ends: readonly OrderUpdate['state'][] }>
>
type Step = keyof typeof STEPS

const LISTINGS_READ = 20_000
const CANDIDATES = 12
/** Of what may be spent, so that all four purchases fit. */
const MOST_SHARE = 4n
const MOST_SENDS = 10
/** For so long the balance may lag behind. */
const BALANCE_MS = 120_000

export function createBuyChecks(tools: BuyTools): readonly Check[] {
  const { market } = tools.supplier
  const of = (what: string): string => `${what}, ${market.id}`
  const candidates: SourceListing[] = []
  let before: Mills | null = null
  let accepted: Placed | null = null
  /** What the look-ups say that the orders cost in the end. */
  const costs = new Map<string, Mills>()

  const step = (name: Step): Check => ({
    name: of(name),
    async run(context) {
      const placed = await buyOne(candidates, { costs, tools, context })
      if ('kind' in placed) return placed
      const finding = await follow(placed, { step: name, costs, tools, context })
      if (name === 'accept' && finding.kind === 'as_expected') accepted = placed
      return finding
    },
  })

  return [
    {
      name: of('balance'),
      async run(context) {
        const read = await market.balance(context)
        if (!('mills' in read)) return differs(read.unavailable)
        before = read.mills
        return asExpected(`${formatMills(before)} USD`)
      },
    },
    {
      name: of('cheap listings'),
      async run(context) {
        const most = mills(tools.budget.leftMills() / MOST_SHARE)
        candidates.push(...(await findCheap(tools, most, context)))
        return candidates.length === 0
          ? differs(`none of the first listings costs at most ${formatMills(most)} USD`)
          : asExpected(`from ${formatMills(candidates[0]?.priceMills ?? 0n)} USD`)
      },
    },
    step('accept'),
    {
      name: of('repeated id'),
      run: async (context) =>
        accepted === null
          ? notTried('no purchase was accepted')
          : repeat(accepted, { tools, context }),
    },
    step('decline'),
    step('expire'),
    {
      name: of('balance afterwards'),
      run: async (context) =>
        before === null
          ? notTried('the balance before is not known')
          : compareBalance(before, { costs, tools, context }),
    },
  ]
}

async function findCheap(
  { supplier: { feed } }: BuyTools,
  most: Mills,
  { signal }: CheckContext,
): Promise<readonly SourceListing[]> {
  const found: SourceListing[] = []
  let seen = 0
  for await (const listings of feed.snapshot(signal)) {
    seen += listings.length
    found.push(...listings.filter(({ priceMills }) => priceMills <= most))
    if (seen >= LISTINGS_READ) break
  }
  return found.sort((one, other) => Number(one.priceMills - other.priceMills)).slice(0, CANDIDATES)
}

/** The next of the candidates that is still there. A finding: nothing was bought, or it is not known. */
async function buyOne(
  candidates: SourceListing[],
  { costs, ...at }: At & { readonly costs: Map<string, Mills> },
): Promise<Placed | Finding> {
  const { tools } = at
  const { market } = tools.supplier
  for (let listing = candidates.shift(); listing !== undefined; listing = candidates.shift()) {
    if (!tools.budget.take(listing.priceMills)) return notTried('--spend does not cover it')
    const customId = newId()
    const answer = await place(listing, customId, at)
    switch (answer.kind) {
      case 'accepted':
        return { customId, orderId: answer.orderId, listing }
      case 'unknown': {
        const order = await findUnanswered(customId, at)
        if (order !== null) costs.set(customId, costOf(order, listing))
        const found =
          order === null ? 'no look-up shows an order' : `the order exists: ${order.orderId}`
        return differs(`the purchase had no answer (${answer.detail}); ${found}`)
      }
      case 'not-sent':
        tools.budget.giveBack(listing.priceMills)
        return differs(`the purchase was not sent: ${answer.detail}`)
      case 'refused':
        tools.budget.giveBack(listing.priceMills)
        if (answer.code !== 'LISTING_UNAVAILABLE' && answer.code !== 'PRICE_CHANGED') {
          return differs(`refused, ${answer.code}: ${answer.detail}`)
        }
    }
  }
  return notTried(`no candidate at ${market.id} is left`)
}

interface At {
  readonly tools: BuyTools
  readonly context: CheckContext
}

/** Under one id; what certainly was not sent is sent again. */
async function place(
  listing: SourceListing,
  customId: string,
  { tools, context }: At,
): ReturnType<Market['place']> {
  const { supplier, testBuyer, guard } = tools
  const { rawId: rawListingId, marketHashName, priceMills: ceilingMills } = listing
  const purchase = { customId, rawListingId, marketHashName, ceilingMills }
  await tools.record({ market: supplier.market.id, ...purchase })
  const { partner, token } = testBuyer
  for (let sends = 1; ; sends += 1) {
    const asked = { ...purchase, partner, token }
    const answer = await placeInTurn(supplier.market, asked, { guard, context })
    if (answer.kind !== 'not-sent' || isOfAccount(answer)) return answer
    if (sends === MOST_SENDS || context.signal.aborted) return answer
    await tools.pause(answer.retryAfterMs, context.signal)
  }
}

/** The market does not serve our account: it will not do so a minute later. */
const isOfAccount = ({ withheld, account }: NotSent): boolean =>
  withheld === 'account' || account !== undefined

type NotSent = Extract<Awaited<ReturnType<Market['place']>>, { readonly kind: 'not-sent' }>

async function placeInTurn(
  market: Market,
  purchase: Purchase,
  { guard, context }: { readonly guard: SendGuard; readonly context: CheckContext },
): ReturnType<Market['place']> {
  const { requestId, signal } = context
  const taken = await market.takeTurns(1, { requestId, signal })
  if (taken.kind === 'not-sent') return taken
  const [turn] = taken.turns
  if (turn === undefined) return { kind: 'not-sent', detail: 'no turn', retryAfterMs: 1_000 }
  try {
    return await market.place(purchase, { requestId, guard, turn })
  } finally {
    turn.giveBack()
  }
}

/** It may have been bought: only look-ups say so, and it is not sent again. */
async function findUnanswered(customId: string, at: At): Promise<OrderUpdate | null> {
  const { tools, context } = at
  const { market } = tools.supplier
  const until = tools.clock.now().getTime() + market.traits.lookUpSettleMs
  for (;;) {
    const order = await lookUp({ customId, orderId: null }, null, at)
    if (order !== null && order !== 'absent') return order
    if (tools.clock.now().getTime() >= until || context.signal.aborted) return null
    await tools.pause(market.traits.pollMs, context.signal)
  }
}

async function lookUp(
  { customId, orderId }: { readonly customId: string; readonly orderId: string | null },
  last: OrderUpdate | null,
  { tools, context }: At,
): Promise<OrderUpdate | 'absent' | null> {
  const offerSeen = last !== null && (last.offerId !== null || last.state !== 'pending')
  const acceptanceSeen = last?.state === 'hold'
  const query = { customId, orderId, offerSeen, acceptanceSeen }
  const answer = await tools.supplier.market.lookUp([query], context)
  return answer.kind === 'read' ? (answer.orders.get(customId) ?? null) : null
}

const MOVING: readonly OrderUpdate['state'][] = ['pending', 'active']
const KEPT: readonly OrderUpdate['state'][] = ['hold', 'completed']

async function follow(
  placed: Placed,
  { step, costs, ...at }: At & { readonly step: Step; readonly costs: Map<string, Mills> },
): Promise<Finding> {
  const { tools, context } = at
  const { market } = tools.supplier
  const { asks, ends } = STEPS[step]
  const until = tools.clock.now().getTime() + tools.patienceMs
  let last: OrderUpdate | null = null
  costs.set(placed.customId, placed.listing.priceMills)
  for (;;) {
    const seen = await lookUp(placed, last, at)
    if (seen === 'absent') return differs('an accepted purchase is stated to be absent')
    if (seen !== null) {
      if (seen.offerId !== null && last?.offerId == null) {
        tools.say(`  ${asks} the offer ${seen.offerId} of ${placed.listing.marketHashName}`)
      }
      last = seen
      if (!MOVING.includes(seen.state)) return endFinding(placed, seen, { ends, costs })
    }
    if (tools.clock.now().getTime() >= until || context.signal.aborted) {
      return differs(`it is ${last?.state ?? 'not shown'} after the time that the buyer had`)
    }
    const { offerPollMs, pollMs } = market.traits
    await tools.pause(last?.offerId == null ? offerPollMs : pollMs, context.signal)
  }
}

function endFinding(
  { customId, orderId, listing }: Placed,
  seen: OrderUpdate,
  {
    ends,
    costs,
  }: { readonly ends: readonly OrderUpdate['state'][]; readonly costs: Map<string, Mills> },
): Finding {
  const paidMills = seen.paidMills ?? listing.priceMills
  costs.set(customId, costOf(seen, listing))
  if (seen.orderId !== orderId) return differs(`another order under the id: ${seen.orderId}`)
  if (paidMills > listing.priceMills) {
    return differs(
      `${formatMills(paidMills)} USD were taken, above ${formatMills(listing.priceMills)}`,
    )
  }
  const said = `${seen.state}, order ${orderId}, our id ${customId}`
  if (!ends.includes(seen.state)) return differs(`${said}: ${seen.detail ?? 'no reason'}`)
  return seen.review ? differs(`${said}, and it is not clear by whose fault`) : asExpected(said)
}

/** As long as it may still be delivered. */
const costOf = ({ state, paidMills }: OrderUpdate, { priceMills }: SourceListing): Mills =>
  MOVING.includes(state) || KEPT.includes(state) ? (paidMills ?? priceMills) : mills(0n)

/** The id of an order that exists is sent once more: nothing may be bought by it. */
async function repeat({ customId, orderId, listing }: Placed, at: At): Promise<Finding> {
  const { tools } = at
  if (!tools.budget.take(listing.priceMills))
    return notTried('--spend does not cover a second purchase')
  const answer = await place(listing, customId, at)
  if (answer.kind === 'accepted' && answer.orderId !== orderId) {
    return differs(`it bought a second time: order ${answer.orderId}`)
  }
  if (answer.kind === 'not-sent') {
    tools.budget.giveBack(listing.priceMills)
    return differs(`it was not sent: ${answer.detail}`)
  }
  // A market that takes an id once may say so in words that settle nothing: the look-up does.
  const seen = await lookUp({ customId, orderId: null }, null, at)
  if (seen === null || seen === 'absent')
    return differs('the look-up does not show the first order')
  if (seen.orderId !== orderId) return differs(`the look-up shows another order: ${seen.orderId}`)
  if (seen.review) return differs('the look-up shows more than one order')
  tools.budget.giveBack(listing.priceMills)
  switch (answer.kind) {
    case 'refused':
      return asExpected(`refused, ${answer.code}: ${answer.detail}`)
    case 'unknown':
      return asExpected(`the first order stays the only one: ${answer.detail}`)
    case 'accepted':
      return asExpected('answered with the first order')
  }
}

/** What is bought by the service at the same time is in the difference, too. */
async function compareBalance(
  before: Mills,
  { costs, tools, context }: At & { readonly costs: ReadonlyMap<string, Mills> },
): Promise<Finding> {
  const spent = [...costs.values()].reduce((sum, cost) => sum + cost, 0n)
  const until = tools.clock.now().getTime() + Math.min(BALANCE_MS, tools.patienceMs)
  for (;;) {
    const read = await tools.supplier.market.balance(context)
    if ('mills' in read && before - read.mills === spent) {
      return asExpected(`${formatMills(spent)} USD less`)
    }
    if (tools.clock.now().getTime() >= until || context.signal.aborted) {
      if (!('mills' in read)) return differs(read.unavailable)
      const found = formatMills(before - read.mills)
      return differs(`${found} USD less in place of ${formatMills(spent)}`)
    }
    await tools.pause(tools.supplier.market.traits.pollMs, context.signal)
  }
}
