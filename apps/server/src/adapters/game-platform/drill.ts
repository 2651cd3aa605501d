// What the platform answers to each kind of call that this adapter makes, with each of our accounts. Nothing
// is sent, canceled or confirmed.
import {
  asExpected,
  type Check,
  type CheckContext,
  differs,
  type Finding,
  notTried,
  type TestBuyer,
} from '#kernel/check'
import { emptyGameBook } from '../shared/game-book.ts'
import { pause } from '../shared/pause.ts'
import { fieldsOf, own, smallIntegerOf } from '../shared/reader.ts'
import type { BotSecrets } from './bot-secrets.ts'
import type { BotAnswer, BotCalls, BotPage } from './calls.ts'
import { type Confirmations, listedIn } from './confirmations.ts'
import type { RunExclusively } from './exclusive.ts'
import { privacyOf, readInventoryPage } from './inventory-page.ts'
import type { PlatformCalls } from './platform-calls.ts'
import { detailOf, holdOf, tradePagePath } from './send-form.ts'
import type { Sessions } from './sessions.ts'
import { readTradePage } from './trade-page.ts'

export interface DrillOptions {
  readonly communityUrl: string
  readonly listBots: () => Promise<readonly BotSecrets[]>
  readonly sessions: Sessions
  readonly calls: BotCalls
  readonly confirmations: Confirmations
  readonly exclusively: RunExclusively
  readonly platformCalls: PlatformCalls
  readonly deadlineMs: number
}

export type PlatformDrill = (testBuyer: TestBuyer | null) => Promise<readonly Check[]>

const NO_TEST_BUYER = notTried('--trade-url is not given')
/** What moves items, or lets them go. */
const UNTRIED = ['send', 'cancel', 'confirmations-act'] as const
/** A worker that runs beside the drill shares its pace. */
const MOST_TURNS = 10
/** For so long a key of the phone is good. */
const KEY_MS = 1_000
const INVENTORY_MAX_BYTES = 24 * 1024 * 1024

export function createDrill(options: DrillOptions): PlatformDrill {
  return async (testBuyer) => {
    const bots = await options.listBots()
    return [
      { name: 'inventory, without a log-in', run: (at) => visitInventory(options, testBuyer, at) },
      ...(bots.length === 0
        ? [{ name: 'bots', run: async () => notTried('there are none: PLATFORM_BOTS is not set') }]
        : bots.flatMap((bot) => checksOf(options, bot, testBuyer))),
      ...UNTRIED.map((name) => ({
        name,
        run: async () => notTried('it moves items, and is tried by the first sell'),
      })),
    ]
  }
}

function checksOf(options: DrillOptions, bot: BotSecrets, testBuyer: TestBuyer | null): Check[] {
  const { calls, sessions } = options
  const of = (kind: string): string => `${kind}, bot ${bot.platformId}`
  return [
    {
      name: of('log-in'),
      async run(context) {
        const answer = await sessions.get(bot, context)
        return answer.kind === 'session' ? asExpected('it has a session') : differs(answer.detail)
      },
    },
    {
      name: of('web-api: hold durations with an access token'),
      async run(context) {
        if (testBuyer === null) return NO_TEST_BUYER
        const answer = await inTurn(context, () =>
          calls.ask({
            ...{ bot, operation: 'GetTradeHoldDurations', context },
            query: {
              steamid_target: testBuyer.platformId,
              trade_offer_access_token: testBuyer.token,
            },
          }),
        )
        const hold = holdOf(answer)
        if (hold === null) return differs(detailOf(answer, 'it says nothing of the hold'))
        return holdFinding(hold)
      },
    },
    {
      name: of('trade-page'),
      async run(context) {
        if (testBuyer === null) return NO_TEST_BUYER
        if (testBuyer.platformId === bot.platformId)
          return notTried('it is the bot’s own trade URL')
        const path = tradePagePath(testBuyer)
        const answer = await inTurn(context, () =>
          calls.tradePage({ bot, operation: 'trade-page', context, path }),
        )
        return answer.kind === 'answer'
          ? pageFinding(answer.body, testBuyer)
          : differs(answer.detail)
      },
    },
    ...(['2', '16'] as const).map((contextId) => ({
      name: of(`own-inventory in context ${contextId}`),
      run: (context: CheckContext) => countOwn(calls, { bot, contextId, context }),
    })),
    {
      name: of('confirmations-list'),
      run: (context) => listConfirmations(options, bot, context),
    },
    {
      name: of('acknowledge'),
      async run(context) {
        const answer = await inTurn(context, () =>
          calls.post({
            ...{ bot, kind: 'acknowledge', operation: 'acknowledge-protection', context },
            path: '/trade/new/acknowledge',
            referer: '/tradeoffer/new/',
            form: { message: '1' },
          }),
        )
        return answer.kind === 'answer' && answer.status === 200
          ? asExpected('the form is taken')
          : differs(detailOf(answer, 'the form is not taken'))
      },
    },
  ]
}

/** A key for the list is good once in a second, and a worker may have spent it: then it is asked again. */
async function listConfirmations(
  { confirmations, exclusively }: DrillOptions,
  bot: BotSecrets,
  context: CheckContext,
): Promise<Finding> {
  for (let tries = 1; ; tries += 1) {
    const turn = await exclusively(`bot:${bot.platformId}`, () => confirmations.ask(bot, context))
    if (turn.kind === 'busy') return notTried('a worker is busy with the bot')
    const answer = turn.value
    const listed = listedIn(answer)
    if (listed !== null) return asExpected(`${listed.length} wait to be confirmed`)
    if (answer.kind !== 'answer' || tries === 2) {
      return differs(detailOf(answer, 'the list cannot be read'))
    }
    await pause(KEY_MS, context.signal)
  }
}

function holdFinding({
  theirs,
  ours,
}: {
  readonly theirs: number
  readonly ours: number
}): Finding {
  if (ours > 0) return differs(`trades would be held for ${ours} s because of the bot itself`)
  if (theirs > 0) return differs(`trades would be held for ${theirs} s because of the account`)
  return asExpected('no hold')
}

function pageFinding(html: string, { partner }: TestBuyer): Finding {
  const page = readTradePage(html, { partner, appId: '730' })
  if (page.kind !== 'offer') return differs(page.detail)
  const { holdDays, ownHoldDays, showsInventory } = page
  if (holdDays + ownHoldDays > 0)
    return holdFinding({ theirs: holdDays * 86_400, ours: ownHoldDays * 86_400 })
  return asExpected(
    showsInventory ? 'no hold, the inventory is shown' : 'no hold, no inventory shown',
  )
}

async function countOwn(
  calls: BotCalls,
  {
    bot,
    contextId,
    context,
  }: { readonly bot: BotSecrets; readonly contextId: string; readonly context: CheckContext },
): Promise<Finding> {
  const answer = await inTurn(context, () =>
    calls.get({
      ...{ bot, kind: 'own-inventory', operation: 'own-inventory', context },
      path: `/inventory/${bot.platformId}/730/${contextId}`,
      query: { l: 'english', count: 1 },
    }),
  )
  if (answer.kind !== 'answer') return differs(answer.detail)
  const count = smallIntegerOf(own(fieldsOf(answer.body) ?? {}, 'total_inventory_count'))
  return answer.status === 200 && count !== null
    ? asExpected(`${count} items`)
    : differs(detailOf(answer, 'the number of items cannot be read'))
}

async function visitInventory(
  { communityUrl, platformCalls, deadlineMs }: DrillOptions,
  testBuyer: TestBuyer | null,
  context: CheckContext,
): Promise<Finding> {
  if (testBuyer === null) return NO_TEST_BUYER
  const { platformId } = testBuyer
  const by = { botId: null }
  for (let turn = 1; ; turn += 1) {
    const waitMs = await platformCalls.turn('inventory', by)
    if (waitMs === 0) break
    if (turn === MOST_TURNS) return differs('there is no turn, or the kind rests after a refusal')
    await pause(waitMs, context.signal)
  }
  const outcome = await platformCalls.send('inventory', by, {
    page: `${communityUrl}/profiles/${platformId}/inventory/`,
    operation: 'inventory',
    method: 'GET',
    url: `${communityUrl}/inventory/${platformId}/730/2?l=english&count=1000`,
    deadlineMs,
    maxBytes: INVENTORY_MAX_BYTES,
    context,
  })
  if (outcome.kind === 'rests') return differs('refused with status 429')
  if (outcome.kind !== 'answer') return differs(outcome.detail)
  if (privacyOf(outcome) !== null) return differs('the inventory of the account is private')
  const page = await readInventoryPage(outcome.body, { contextId: '2', book: emptyGameBook })
  if (outcome.status !== 200 || page === null) {
    return differs(`the inventory came with status ${outcome.status}`)
  }
  return page.items.length === 0
    ? differs(
        'no item is shown; what was received in the last days is hidden from anonymous readers',
      )
    : asExpected(`${page.items.length} items`)
}

/** What the pace of the kind puts off is asked again. */
async function inTurn<Answer extends BotAnswer | BotPage>(
  { signal }: CheckContext,
  ask: () => Promise<Answer>,
): Promise<Answer> {
  for (let turn = 1; ; turn += 1) {
    const answer = await ask()
    const isPutOff = answer.kind === 'refused' && answer.because === 'pace'
    if (!isPutOff || turn === MOST_TURNS || signal.aborted) return answer
    await pause(answer.retryAfterMs, signal)
  }
}
