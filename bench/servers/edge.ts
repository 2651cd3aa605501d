// The HTTP edge alone, with one cheap route: with key check and rate limits, in memory or in Valkey, or
// with neither.
import type { AddressInfo } from 'node:net'
import { contractFormats, merchantRoutes } from '@tradepost/contract'
import { createAuthenticator } from '../../apps/server/src/edges/http/merchant/authenticate.ts'
import {
  createMerchantInterface,
  type MerchantInterfaceDeps,
} from '../../apps/server/src/edges/http/merchant/merchant-interface.ts'
import { operation } from '../../apps/server/src/edges/http/merchant/operation.ts'
import { openRateLimits } from '../../apps/server/src/edges/http/shared/open-rate-limits.ts'
import type { KeyRecord } from '../../apps/server/src/edges/http/shared/ports.ts'
import type { KeyHolder } from '../../apps/server/src/edges/http/shared/principal.ts'
import { createRateLimits } from '../../apps/server/src/edges/http/shared/rate-limits.ts'
import { createServer } from '../../apps/server/src/edges/http/shared/server.ts'
import { openValkey } from '../../apps/server/src/infra/limits/valkey.ts'
import { systemClock } from '../../apps/server/src/infra/process/clock.ts'
import { createLog } from '../../apps/server/src/infra/process/log.ts'
import { createMetrics } from '../../apps/server/src/infra/process/metrics.ts'
import { looksLikeKey } from '../../apps/server/src/modules/accounts/identity/index.ts'
import { answerWith } from '../ipc.ts'

export interface EdgeOptions {
  /** Null: every request is let in as one merchant, unread and uncounted. */
  readonly limits: { readonly apiKey: string; readonly valkeyUrl: string | null } | null
}

const MERCHANT: KeyHolder = {
  tenant: { id: '019aa000-0000-7000-8000-000000000001', currency: 'USD' },
  keyId: '019aa000-0000-7000-8000-0000000000aa',
  tier: 'enterprise',
  feeBps: 300,
  permissions: new Set(['merchant', 'user']),
  scopes: null,
  accounts: null,
}
const RECORD: KeyRecord = {
  keyId: MERCHANT.keyId,
  kind: 'merchant',
  accountId: MERCHANT.tenant.id,
  partnerId: null,
  currency: 'USD',
  revoked: false,
  expiresAt: null,
  allowlist: [],
  accountStatus: 'active',
  tier: MERCHANT.tier,
  feeBps: MERCHANT.feeBps,
  scopes: null,
  accounts: null,
  endsAt: null,
}
/** No request is refused: the check is measured. */
const SCALE = 1_000_000

// As the service's own: its lines go nowhere, but are written.
const log = createLog({ level: 'info', destination: { write() {} } })
const metrics = createMetrics()

const methods = {
  listen: async ({ limits }: EdgeOptions): Promise<number> => {
    const guarded = limits === null ? openDoor : await guard(limits)
    const merchant = createMerchantInterface({
      ...guarded,
      operations: [
        operation(merchantRoutes.getWallet, async () => ({
          currency: 'USD' as const,
          balance: 1234.56,
        })),
      ],
      dashboardOnly: [],
      resolveAccount: async ({ id }) => ({
        id,
        tenantId: id,
        role: 'merchant',
        status: 'active',
        currency: 'USD',
        platformId: null,
        houseFeeBps: 300,
        merchantBuyFeeBps: 0,
        merchantSellFeeBps: 0,
        primaryTradeUrl: null,
      }),
      clock: systemClock,
    })
    const app = await createServer({
      interfaces: [merchant],
      checkReady: async () => ({ status: 'ready', checks: {} }),
      docs: { documents: { merchant: () => ({}) } },
      formats: contractFormats('steamcommunity.com'),
      log,
      clock: systemClock,
      onAnswered: ({ method, route, status, durationMs }) =>
        metrics.observeRequest({ method, route, status, seconds: durationMs / 1000 }),
      trustedProxies: [],
    })
    await app.listen({ host: '127.0.0.1', port: 0 })
    return (app.server.address() as AddressInfo).port
  },
}
export type EdgeMethods = typeof methods

type Door = Pick<MerchantInterfaceDeps, 'authenticate' | 'confirm' | 'rateLimits'>

const openDoor: Door = { authenticate: () => MERCHANT, confirm: async () => MERCHANT }

async function guard({ apiKey, valkeyUrl }: NonNullable<EdgeOptions['limits']>): Promise<Door> {
  const valkey = valkeyUrl === null ? null : await openValkey({ url: valkeyUrl, log })
  const { authenticate, confirm } = createAuthenticator({
    findKey: async (secret) => (secret === apiKey ? RECORD : null),
    looksLikeKey,
    clock: systemClock,
  })
  const opened = await openRateLimits({ valkey, scale: SCALE, log, metrics })
  return { authenticate, confirm, rateLimits: createRateLimits(opened) }
}

answerWith(methods)
