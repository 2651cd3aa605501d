// POST /auth/ws-token
import { merchantRoutes, WS_TOKEN_SECONDS } from '@tradepost/contract'
import type { Clock } from '#infra/process/clock'
import type { WsTokens } from '../../shared/ws-token.ts'
import { type MerchantOperations, operation } from '../operation.ts'

export interface WsTokenDeps {
  readonly tokens: WsTokens
  readonly clock: Clock
}

export const createWsTokenOperation = ({
  tokens,
  clock,
}: WsTokenDeps): MerchantOperations['issueWsToken'] =>
  operation(
    merchantRoutes.issueWsToken,
    async ({ caller, body }) => {
      const scopes = body.scopes ?? ['market']
      const expiresAt = new Date(clock.now().getTime() + WS_TOKEN_SECONDS * 1000)
      const token = tokens.issue({
        accountId: caller.account.id,
        tenantId: caller.tenant.id,
        tier: caller.tier,
        keyId: caller.keyId,
        session: caller.session ?? null,
        address: caller.address(),
        scopes,
        expiresAt,
      })
      return { token, scopes, expiresAt: expiresAt.toISOString(), expiresIn: WS_TOKEN_SECONDS }
    },
    { refusesSuspended: true },
  )
