// The dashboard's interface alone, over real HTTP on a real database. Mail is taken at the port of the mail
// server; the clock is moved by hand.
import type { AddressInfo } from 'node:net'
import { contractFormats, readTradeUrl } from '@tradepost/contract'
import { createCatalog, createPictures, openCatalogueView, openListingsView } from '#catalog'
import { createRateReader } from '#fx'
import {
  createAdmin,
  createCallerFinder,
  createMerchant,
  createPartner,
  createTradeUrlResolver,
} from '#identity'
import { createCopyOut } from '#infra/database/copy-out'
import type { Db } from '#infra/database/db'
import { createHeavyReads } from '#infra/database/heavy-reads'
import { createStaleReads, type Replica } from '#infra/database/replica'
import { createLimiter, type Limiter } from '#infra/limits/rate-limit/limiter'
import { createLog } from '#infra/process/log'
import { createMetrics } from '#infra/process/metrics'
import { createProcessFigures } from '#infra/process/process-figures'
import { createSecretBox } from '#infra/process/secrets'
import { assertDefined } from '#kernel/assert'
import { newId } from '#kernel/id'
import { cents } from '#kernel/money'
import { type OutgoingMail, sendDueMail } from '#mail'
import { openMerchantAccount, removeLostFactors, watchService } from '#operations'
import { watchEvents } from '#outbox'
import type { ApprovalCallback } from '#payouts'
import {
  addPerson,
  answerAnonymousRequests,
  type ChatPlatform,
  createPasswords,
  type MemberRole,
} from '#people'
import { createGlobalDefaultReader } from '#pricing'
import { createPauseReader } from '#trades'
import { isAllowedAddress } from '#webhooks'
import { dialects } from '#wire/webhook'
import { createApprovalCallback } from '../../../adapters/bridges/approval-callback.ts'
import {
  createRenderDeliveries,
  createRenderEvents,
} from '../../../adapters/bridges/render-events.ts'
import { CALL_KINDS } from '../../../adapters/game-platform/call-kinds.ts'
import { createWebhookSender } from '../../../adapters/webhook-sender/index.ts'
import { type ManualClock, manualClock } from '../../../infra/testing/clock.ts'
import {
  type AccountResources,
  createAccountReads,
  createAccountWrites,
} from '../../../main/parts/account.ts'
import { createDashboard } from '../../../main/parts/dashboard.ts'
import type { DashboardMoney } from '../../../main/parts/dashboard-money.ts'
import { createMarketOrderPlacing } from '../../../main/parts/market-orders.ts'
import { openSockets, type SocketsParts } from '../../../main/parts/sockets.ts'
import { givenDeposits } from '../../../modules/crypto/deposits/testing/depositors.ts'
import { createMayReadRunbooks } from '../dashboard/may-read-runbooks.ts'
import { dashboardPages, prepareDashboardPages } from '../dashboard/pages.ts'
import { createLimitsOperation } from '../merchant/limits/limits.ts'
import { createMarketOperations } from '../merchant/market/market-operations.ts'
import { createResolveAccount } from '../merchant/resolve-account.ts'
import { platformDouble } from '../merchant/testing/merchant-server.ts'
import { createWsTokenOperation } from '../merchant/ws-token/ws-token.ts'
import { addPictures, createSourceOf } from '../pictures/add-pictures.ts'
import { createRateLimits } from '../shared/rate-limits.ts'
import { createServer, type ServerLimits } from '../shared/server.ts'
import { createWsTokens, type WsTokens } from '../shared/ws-token.ts'

export interface DashboardServer {
  readonly url: string
  readonly clock: ManualClock
  /** The scripted providers behind the deposits, and their worker. */
  readonly deposits: ReturnType<typeof givenDeposits>
  browser(): Browser
  /** The worker that answers what anonymous callers asked for, until nothing is due. */
  answerAnonymousRequests(): Promise<void>
  /** Answers anonymous requests, sends what is due and returns the messages to an address, newest first. */
  mailTo(address: string): Promise<readonly OutgoingMail[]>
  /** One round of the worker that removes lost second factors, of a service that sends mail. */
  removeFactors(mail?: { readonly sendsMail: boolean }): Promise<boolean>
  /** A merchant with a person in a role; an administrator without a merchant. */
  person(role?: MemberRole): Promise<{ readonly email: string; readonly accountId: string }>
  /** A partner with a person in a role. */
  partner(role?: MemberRole): Promise<{ readonly email: string; readonly accountId: string }>
  /** The same, logged in, at the next minute. */
  loggedIn(role?: MemberRole): Promise<LoggedInBrowser>
  /** Each address has a minute's allowance; a step of the clock gives the next test its own. */
  nextMinute(): void
  close(): Promise<void>
}

/** The token of a link, and the code, in the text of a mail. */
export const tokenIn = (text: string): string => /#token=([\w-]+)/.exec(text)?.[1] ?? ''
export const codeIn = (text: string): string => /^\d{6}$/m.exec(text)?.[0] ?? ''

/** A client with a cookie jar of one cookie, which sends the CSRF token that it was given last. */
export interface Browser {
  call(method: string, path: string, body?: unknown, headers?: Headers): Promise<Answer>
  logIn(email: string, password?: string): Promise<Answer>
  cookie: string | null
  /** The second cookie, while an administrator looks at another account. */
  impersonation: string | null
  /** The third, of a browser that is known. */
  device: string | null
  /** The fourth, of the browser that registered. */
  registration: string | null
  csrfToken: string | null
}

export type LoggedInBrowser = Browser & { readonly email: string; readonly accountId: string }

type Headers = Readonly<Record<string, string>>

export interface Answer {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: an answer is read as a client reads it
  readonly data: any
  readonly key: string | undefined
  readonly message: string | undefined
  // biome-ignore lint/suspicious/noExplicitAny: the same
  readonly meta: any
  readonly headers: globalThis.Headers
}

export const PASSWORD = 'seven brave lanterns'

export interface DashboardServerOptions {
  readonly isDemo?: boolean
  readonly hasPages?: boolean
  /** Whether it gives addresses for deposits and custody, as a service with DEPOSIT_XPUB does. */
  readonly hasAddresses?: boolean
  readonly chat?: ChatPlatform | null
  readonly sendsMail?: boolean
  readonly limits?: Partial<ServerLimits>
  readonly replica?: Replica | null
  /** Where a sandbox has its console; null: as outside of it. */
  readonly sandboxUrl?: string | null
}

export async function startDashboardServer(
  db: Db,
  {
    isDemo = true,
    hasPages = false,
    hasAddresses = true,
    chat = null,
    sendsMail = true,
    limits = {},
    replica = null,
    sandboxUrl = null,
  }: DashboardServerOptions = {},
): Promise<DashboardServer> {
  const clock = manualClock(new Date('2026-11-20T12:00:00.000Z'))
  const secrets = createSecretBox([Buffer.alloc(32, 7)])
  const log = createLog({ level: 'silent' })
  const metrics = createMetrics()
  const figures = createProcessFigures(clock)
  const nowMs = (): number => clock.now().getTime()
  const limiter = createLimiter({ windowMs: 60_000, nowMs, shared: null })
  const webhookSender = createWebhookSender({
    isAllowedAddress: (address) => isAllowedAddress(address, { allowPrivate: true }),
  })
  const passwordHash = await createPasswords().hash(PASSWORD, 'test')
  const deposits = givenDeposits(db, clock)
  const mails: OutgoingMail[] = []
  const mailer = {
    send: async (mail: OutgoingMail) => {
      mails.unshift(mail)
      return { kind: 'accepted' } as const
    },
  }
  let origin = ''
  const resources = {
    ...{ db, clock },
    config: {
      ...{
        isDemo,
        callKinds: CALL_KINDS,
        conversions: { spreadBps: 50, exposureLimitDollars: 100_000, exposureSharePercent: 25 },
        statements: { name: 'Tradepost Ltd', address: ['1 Market Street', 'London'] },
      },
      webhooks: { demoUrl: null, partnerDemoUrl: null, allowPrivate: true, addresses: [] },
    },
  }
  const callback = createApprovalCallback({
    ...{ db, clock, secrets, dialects, sender: webhookSender, allowPrivate: true },
  })
  const rateLimits = { limiter, addressLimiter: limiter, scale: 1, nowMs }
  const { addresses } = createRateLimits(rateLimits)
  const tokens = createWsTokens(secrets)
  const merchant = await openMerchantOperations(resources, {
    ...{ log, metrics, limiter, replica, tokens },
  })
  // What the pages follow the market by.
  const sockets = hasPages ? await merchant.openSockets({ tokens, rateLimits }) : null
  const dashboard = createDashboard(
    {
      ...resources,
      adapters: {
        markets: [],
        webhookSender,
        chat,
        mailer: sendsMail ? mailer : null,
        sandboxUrl,
      },
    },
    {
      secrets,
      ...{ rateLimits, addresses },
      ...merchant.parts,
      renderDeliveries: createRenderDeliveries({ db, log, metrics }),
      money: {
        ...moneyOf(deposits, callback),
        ...(!hasAddresses && { addressFor: null, custodyAddressFor: null }),
      },
      readFigures: figures.read,
      publicUrl: () => origin,
    },
  )
  const pagesFolder = hasPages
    ? assertDefined(await prepareDashboardPages(log), 'the pages of the dashboard')
    : null
  const app = await createServer({
    interfaces: [dashboard],
    checkReady: async () => ({ status: 'ready', checks: {} }),
    ...(sockets && { sockets: sockets.edge }),
    addRoutes: (server, edge) =>
      addPictures(server, edge, { pictures: merchant.pictures, addresses }),
    docs: { documents: {}, mayReadRunbooks: createMayReadRunbooks(dashboard) },
    pages: dashboardPages(pagesFolder, dashboard),
    formats: contractFormats('steamcommunity.com'),
    ...{ log, clock, trustedProxies: [], limits },
    onAnswered: ({ durationMs, ...answered }) =>
      figures.observe({ ...answered, seconds: durationMs / 1000 }),
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}`
  origin = `http://localhost:${port}`
  const person = (role: MemberRole = 'owner') =>
    addAccount(db, { role, passwordHash, at: clock.now() })
  const partner = (role: MemberRole = 'owner') =>
    addPartner(db, { role, passwordHash, at: clock.now() })
  const nextMinute = (): void => clock.advance(61_000)
  const answerAll = async (): Promise<void> => {
    const onFailed = (error: unknown): never => {
      throw error
    }
    const deps = { db, clock, secrets, openAccount: openMerchantAccount, onFailed }
    while (await answerAnonymousRequests(deps));
  }
  return {
    ...{ url, clock, person, partner, nextMinute, deposits },
    answerAnonymousRequests: answerAll,
    removeFactors: (mail = { sendsMail: true }) =>
      removeLostFactors({ db, clock, secrets, publicUrl: () => origin, ...mail }),
    browser: () => createBrowser(url),
    loggedIn: async (role) => {
      nextMinute()
      const account = await person(role)
      const browser = createBrowser(url)
      const { status } = await browser.logIn(account.email)
      if (status !== 200) throw new Error(`the login was answered ${status}`)
      return Object.assign(browser, account)
    },
    mailTo: async (address) => {
      await answerAll()
      while (await sendDueMail({ db, clock, secrets, mailer, domain: 'test' }));
      return mails.filter(({ to }) => to === address)
    },
    close: async () => {
      figures.stop()
      await sockets?.stop()
      await merchant.close()
      await app.close()
      await webhookSender.close()
    },
  }
}

/** The merchant interface's operations that the pages call, on the same database. */
async function openMerchantOperations(
  resources: AccountResources,
  {
    log,
    metrics,
    limiter,
    replica,
    tokens,
  }: {
    log: ReturnType<typeof createLog>
    metrics: ReturnType<typeof createMetrics>
    limiter: Limiter
    replica: Replica | null
    tokens: WsTokens
  },
) {
  const { db, clock } = resources
  const onError = (error: Error): void => log.error({ err: error }, 'a background read failed')
  const heavyReads = createHeavyReads({ db, replica, atOnce: 2, waiting: 8, waitMs: 10_000 })
  const staleReads = createStaleReads(replica, db)
  const watch = await watchEvents({ db, onError })
  const serviceWatch = watchService({ db, onError, limits: { readEveryMs: 20 } })
  const catalog = createCatalog({ db, clock })
  const view = await openCatalogueView({ db, clock, onError, ...(replica && { staleReads }) })
  const listings = await openListingsView({ db, clock, onError })
  const globalDefaultFeeBps = createGlobalDefaultReader({ db, clock })
  const renderEvents = createRenderEvents({ db, log, metrics })
  const reads = {
    ...createAccountReads(resources, { heavyReads, watch, renderEvents, globalDefaultFeeBps }),
    ...createAccountWrites(resources, { db, heavyReads }),
    ...createMarketOperations({
      ...{ catalog, view, listings, clock },
      currentRate: async () => (await createRateReader({ db, clock })()).usdPerEurMicros,
    }),
    getMerchantLimits: createLimitsOperation({ limiter, scale: 1 }),
    issueWsToken: createWsTokenOperation({ tokens, clock }),
  }
  const findCaller = createCallerFinder(db)
  const copyOut = createCopyOut({
    ...{ db, replica, atOnce: 2, timeoutMs: 60_000, slowMs: 1000, stallMs: 60_000 },
  })
  return {
    parts: {
      ...{ heavyReads, staleReads, reads, copyOut, watch, serviceWatch },
      placeMarketOrder: createMarketOrderPlacing(resources, {
        view,
        workers: { areSilent: async () => false },
        buying: {
          isPaused: createPauseReader(db, clock),
          resolveTradeUrl: createTradeUrlResolver({
            ...{ clock, platform: platformDouble() },
            readTradeUrl: (text) => readTradeUrl(text, 'steamcommunity.com'),
          }),
        },
      }),
      resolveAccount: createResolveAccount({ findCaller, globalDefaultFeeBps }),
    },
    pictures: createPictures({ db, clock, sourceOf: createSourceOf(view) }),
    openSockets: (from: Pick<SocketsParts, 'tokens' | 'rateLimits'>) =>
      openSockets(
        {
          ...{ db, clock, log, metrics },
          config: { liveBufferBytes: 1024 * 1024, liveSocketsPerMerchant: 100 },
        },
        { ...from, catalog, view, listings, findCaller, globalDefaultFeeBps, renderEvents },
      ),
    close: async () => {
      await Promise.all([watch.stop(), serviceWatch.stop()])
      await Promise.all([view.stop(), listings.stop()])
    },
  }
}
const DOLLARS = (whole: number) => cents(BigInt(whole) * 100n)

/** A stable coin on two chains, one with an explorer; no node and no signer stand behind them. */
const moneyOf = (
  deposits: ReturnType<typeof givenDeposits>,
  callback: ApprovalCallback,
): DashboardMoney => ({
  gateway: deposits.gatewayDeposits,
  onramp: deposits.onrampDeposits,
  cancelDeposit: deposits.cancel,
  isCardOn: true,
  currentRate: deposits.deps.currentRate,
  addressFor: async () => '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  listChains: async () => ['base', 'arbitrum'],
  areWorkersSilent: async () => false,
  custodyAddressFor: async () => '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC',
  networks: {
    find: async (chain, token) =>
      (chain === 'base' || chain === 'arbitrum') && token === 'USDC'
        ? {
            ...{ address: null, decimals: 6, usdE8: 100_000_000n },
            ...{ feeCents: 10n, hotUnits: 0n },
          }
        : null,
    listChains: async () => ['base'],
    isOurs: async () => false,
    isTokenContract: async () => false,
  },
  callback,
  explorers: { base: 'https://explorer.example' },
  limits: {
    perTransaction: DOLLARS(10_000),
    perMerchantDay: DOLLARS(50_000),
    perDay: DOLLARS(250_000),
  },
})

const addAccount = (
  db: Db,
  { role, passwordHash, at }: { role: MemberRole; passwordHash: string; at: Date },
) =>
  db.transaction(async (tx) => {
    const email = `p-${newId()}@example.com`
    const isAdmin = role === 'administrator'
    const { id: accountId } = isAdmin
      ? await createAdmin(tx, { email, name: 'A', at })
      : await createMerchant(tx, {
          ...{ email, at, name: 'M', currency: 'USD', country: 'DE', tier: 'standard' },
          fees: { feeBps: 300, buyFeeBps: 200, sellFeeBps: 200, childDefaultFeeBps: null },
        })
    const membership = { accountId, accountKind: isAdmin ? 'admin' : 'merchant', role } as const
    await addPerson(tx, { email, passwordHash, membership, at })
    return { email, accountId }
  })

const addPartner = (
  db: Db,
  { role, passwordHash, at }: { role: MemberRole; passwordHash: string; at: Date },
) =>
  db.transaction(async (tx) => {
    const email = `p-${newId()}@example.com`
    const { id: accountId } = await createPartner(tx, {
      ...{ email, at, name: 'P' },
      fees: { feeBps: 300, buyFeeBps: 200 },
    })
    const membership = { accountId, accountKind: 'partner', role } as const
    await addPerson(tx, { email, passwordHash, membership, at })
    return { email, accountId }
  })

/** For any server of the dashboard. */
export function createBrowser(url: string): Browser {
  const browser: Browser = {
    cookie: null,
    impersonation: null,
    device: null,
    registration: null,
    csrfToken: null,
    async call(method, path, body, headers = {}) {
      const { cookie, impersonation, device, registration } = browser
      const cookies = [cookie, impersonation, device, registration].filter(Boolean)
      const response = await fetch(`${url}/dashboard/api/${path}`, {
        method,
        headers: {
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...(cookies.length > 0 && { cookie: cookies.join('; ') }),
          ...(browser.csrfToken !== null && { 'x-csrf-token': browser.csrfToken }),
          ...headers,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      for (const cookie of response.headers.getSetCookie()) {
        const pair = cookie.split(';', 1)[0] ?? null
        if (cookie.startsWith('tp_impersonation=')) browser.impersonation = pair
        else if (cookie.startsWith('tp_device=')) browser.device = pair
        else if (cookie.startsWith('tp_registration=')) browser.registration = pair
        else browser.cookie = pair
      }
      const envelope = (await response.json()) as {
        data?: { csrfToken?: string }
        error?: { key: string; message: string; meta?: unknown }
      }
      if (envelope.data?.csrfToken) browser.csrfToken = envelope.data.csrfToken
      const { data, error } = envelope
      return {
        ...{ status: response.status, data, headers: response.headers },
        ...{ key: error?.key, message: error?.message, meta: error?.meta },
      }
    },
    logIn: (email, password = PASSWORD) => browser.call('POST', 'auth/login', { email, password }),
  }
  return browser
}
