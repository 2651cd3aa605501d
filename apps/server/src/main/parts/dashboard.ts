// The dashboard's interface, put together.

import type { PlaceMarketOrder } from '#bidding'
import { createCatalog } from '#catalog'
import { createPartnerAccountFinder, findAccount } from '#identity'
import type { CopyOut } from '#infra/database/copy-out'
import type { Db } from '#infra/database/db'
import type { HeavyReads } from '#infra/database/heavy-reads'
import type { StaleReads } from '#infra/database/replica'
import { createNameResolver } from '#infra/http/name-resolver'
import type { Figures } from '#infra/process/process-figures'
import type { SecretBox } from '#infra/process/secrets'
import { CLOSE_BUSINESS, OPEN_BUSINESS, readMarketHealth, type ServiceWatch } from '#operations'
import type { EventWatch } from '#outbox'
import {
  createPasswords,
  DEVICE_DAYS,
  newDevice,
  type PeopleDeps,
  recallImpersonation,
  recallSession,
  requireFreshFactor,
} from '#people'
import { readGlobalDefaultBps } from '#pricing'
import type { RenderEvents } from '#wire/events/render'
import { dialects } from '#wire/webhook'
import { createImpersonationOperations } from '../../edges/http/dashboard/administration/impersonation.ts'
import { createChangeOperations } from '../../edges/http/dashboard/changes/changes.ts'
import { createChatOperations } from '../../edges/http/dashboard/chat/chat.ts'
import { createSessionCookie } from '../../edges/http/dashboard/cookies.ts'
import {
  createDashboardInterface,
  type DashboardInterfaceDeps,
} from '../../edges/http/dashboard/dashboard-interface.ts'
import { createExportOperations } from '../../edges/http/dashboard/exports/exports.ts'
import { createKeysOperations } from '../../edges/http/dashboard/keys/keys.ts'
import {
  createAnswerLogin,
  createSessionCookies,
} from '../../edges/http/dashboard/log-in/answer-login.ts'
import { createLogInOperations } from '../../edges/http/dashboard/log-in/log-in.ts'
import { createMemberOperations } from '../../edges/http/dashboard/members/members.ts'
import type { MerchantReads } from '../../edges/http/dashboard/merchant/as-merchant.ts'
import { createMerchantPages } from '../../edges/http/dashboard/merchant/merchant-pages.ts'
import { createMoneyAdministration } from '../../edges/http/dashboard/money/administration.ts'
import { createPayoutCallbackOperations } from '../../edges/http/dashboard/money/callback.ts'
import { createDashboardDeposits } from '../../edges/http/dashboard/money/deposits.ts'
import { createExplorerOperations } from '../../edges/http/dashboard/money/explorers.ts'
import { createDashboardPayouts } from '../../edges/http/dashboard/money/payouts.ts'
import type { DashboardOperations } from '../../edges/http/dashboard/operation.ts'
import { createOverviewOperations } from '../../edges/http/dashboard/overview.ts'
import { forChild } from '../../edges/http/dashboard/partner/for-child.ts'
import { createPartnerPages } from '../../edges/http/dashboard/partner/partner-pages.ts'
import { createPasskeyOperations } from '../../edges/http/dashboard/passkeys/passkeys.ts'
import { createSessionOperations } from '../../edges/http/dashboard/session/session.ts'
import { createStatementsOperation } from '../../edges/http/dashboard/statements/statements.ts'
import { createViewOperations } from '../../edges/http/dashboard/views/views.ts'
import { createWalletOperations } from '../../edges/http/dashboard/wallets/wallets.ts'
import { createWebhookOperations } from '../../edges/http/dashboard/webhook/webhook.ts'
import type { ResolveAccount } from '../../edges/http/merchant/resolve-account.ts'
import { createResolvePartner } from '../../edges/http/partner/caller.ts'
import { createChildrenOperations } from '../../edges/http/partner/children/children.ts'
import { createPersonLimits } from '../../edges/http/shared/person-limits.ts'
import type { RateLimits, RateLimitsDeps } from '../../edges/http/shared/rate-limits.ts'
import type { Adapters } from '../adapters.ts'
import type { Config } from '../config.ts'
import type { Resources } from '../resources.ts'
import { createAccountWrites } from './account.ts'
import { createAdministration } from './administration.ts'
import type { DashboardMoney } from './dashboard-money.ts'

/** What it needs of the process. */
export type DashboardResources = Pick<Resources, 'db' | 'clock'> & {
  readonly config: Pick<Config, 'callKinds' | 'isDemo' | 'webhooks' | 'conversions' | 'statements'>
  readonly adapters: Pick<Adapters, 'webhookSender' | 'markets' | 'chat' | 'mailer' | 'sandboxUrl'>
}

export interface DashboardParts {
  readonly secrets: SecretBox
  readonly rateLimits: RateLimitsDeps
  readonly addresses: RateLimits['addresses']
  readonly renderDeliveries: RenderEvents
  readonly heavyReads: HeavyReads
  readonly staleReads: StaleReads
  readonly copyOut: CopyOut
  readonly resolveAccount: ResolveAccount
  readonly watch: EventWatch
  readonly serviceWatch: ServiceWatch
  /** Operations of the merchant interface that people call, too. */
  readonly reads: MerchantReads
  readonly money: DashboardMoney
  /** On the database that is given. */
  readonly placeMarketOrder: (db: Db) => PlaceMarketOrder
  /** Of this process. */
  readonly readFigures: () => Figures
  /** The origin that browsers see. */
  publicUrl(): string
}

export function createDashboard(
  resources: DashboardResources,
  {
    secrets,
    rateLimits,
    addresses,
    renderDeliveries,
    heavyReads,
    staleReads,
    copyOut,
    resolveAccount,
    watch,
    serviceWatch,
    reads,
    money,
    placeMarketOrder,
    readFigures,
    publicUrl,
  }: DashboardParts,
): ReturnType<typeof createDashboardInterface> {
  const { config, db, clock, adapters } = resources
  const sendsMail = adapters.mailer !== null
  const passwords = createPasswords()
  const people: PeopleDeps = { db, clock, secrets, passwords, sendsMail, publicUrl }
  const isSecure = (): boolean => publicUrl().startsWith('https:')
  const cookie = createSessionCookie(isSecure)
  const impersonationCookie = createSessionCookie(isSecure, 'tp_impersonation')
  const { listMarkets } = createCatalog({ db, clock })
  const deviceCookie = createSessionCookie(isSecure, 'tp_device')
  const registrationCookie = createSessionCookie(isSecure, 'tp_registration')
  const deviceCookieOf = (personId: string): string =>
    deviceCookie.set(newDevice(people, personId), DEVICE_DAYS * 86_400)
  const sessionCookies = createSessionCookies({ cookie, deviceCookieOf, clock })
  const answerLogin = createAnswerLogin(sessionCookies)
  const keyEnvironment = config.isDemo ? 'test' : 'live'
  const hostRules = { allowPrivate: config.webhooks.allowPrivate, names: createNameResolver() }
  const ofAccount = {
    ...createKeysOperations({ db, clock, environment: keyEnvironment }),
    ...createWebhookOperations({
      ...{ db, clock, secrets, heavyReads, render: renderDeliveries },
      sender: adapters.webhookSender,
      dialects,
      ...hostRules,
    }),
  }
  const merchantPages = createMerchantPages({
    ...{ db, clock, heavyReads, reads, resolveAccount, placeMarketOrder },
    writes: (onDb) => createAccountWrites(resources, { db: onDb, heavyReads }),
  })
  const operations: DashboardOperations = {
    ...createLogInOperations({
      ...{ people, cookie, impersonationCookie, registrationCookie, deviceCookieOf },
      ...{ answerLogin, sessionCookies },
    }),
    ...createPasskeyOperations(people, answerLogin),
    ...createChatOperations(people, adapters.chat),
    ...createMemberOperations(
      { ...people, openBusiness: OPEN_BUSINESS, closeBusiness: CLOSE_BUSINESS },
      { cookie, answerLogin },
    ),
    ...createSessionOperations(people, cookie, adapters.sandboxUrl),
    ...ofAccount,
    ...forChild(db, { ...ofAccount, listAudit: merchantPages.listAudit }),
    ...createExportOperations({ db, clock, copyOut }),
    ...createStatementsOperation({ db, clock, heavyReads, house: config.statements }),
    ...createViewOperations({ db, clock }),
    ...createChangeOperations({ db, clock, watch, service: serviceWatch }),
    ...merchantPages,
    ...createOverviewOperations({ db, clock, heavyReads }),
    ...createPartnerPages({
      ...{ db, clock, heavyReads },
      resolvePartner: createResolvePartner({
        findAccount: createPartnerAccountFinder(db),
        globalDefaultFeeBps: () => readGlobalDefaultBps(db),
      }),
      writes: (onDb) => createChildrenOperations({ db: onDb, clock, heavyReads, keyEnvironment }),
      readHealth: () => readMarketHealth({ db, clock, listMarkets }),
    }),
    ...createWalletOperations({ db, clock }),
    ...createDashboardDeposits({ db, ...money }),
    ...createDashboardPayouts({ db, clock, ...money }),
    ...createPayoutCallbackOperations({
      ...{ db, clock, secrets, callback: money.callback },
      ...hostRules,
    }),
    ...createMoneyAdministration({ db, clock }),
    ...createExplorerOperations(money.explorers),
    ...createAdministration(resources, {
      ...{ secrets, publicUrl, render: renderDeliveries, heavyReads, staleReads, readFigures },
    }),
    ...createImpersonationOperations({ db, clock }, impersonationCookie),
  }
  const deps: DashboardInterfaceDeps = {
    operations: Object.values(operations),
    cookie,
    impersonationCookie,
    deviceCookie,
    registrationCookie,
    recallImpersonation: (token, sessionId) =>
      recallImpersonation(db, { token, sessionId, now: clock.now() }),
    recallSession: (token, isUse) => recallSession(db, token, { now: clock.now(), isUse }),
    findAccount: (accountId) => findAccount(db, accountId),
    askForFactor: ({ id, person }) =>
      requireFreshFactor(people, { personId: person.id, sessionId: id }),
    addresses,
    people: createPersonLimits(rateLimits, ({ session }) => session?.person.id ?? null),
    publicUrl,
    now: () => clock.now(),
    requiresAdminFactor: !config.isDemo,
    sendsMail,
  }
  return createDashboardInterface(deps)
}
