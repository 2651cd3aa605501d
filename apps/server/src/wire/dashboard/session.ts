// The dashboard's view of a session.

import type { DashboardSession, Role, SessionItem } from '@tradepost/contract'
import { browserName } from '#kernel/browser-name'
import {
  type AccountKind,
  capabilitiesOf,
  csrfTokenOf,
  type Session,
  type SessionSummary,
} from '#people'

const ROLES: Readonly<Record<AccountKind, readonly Role[]>> = {
  merchant: ['user', 'merchant'],
  partner: ['user'],
  admin: ['admin'],
}

interface SessionStatus {
  readonly isSuspended?: boolean
  readonly accountName?: string
  readonly tradingPausedSince?: Date | null
  readonly sandboxUrl?: string | null
}

export const sessionView = (
  { person, membership, expiresAt, impersonation }: Session,
  token: string,
  {
    isSuspended = false,
    accountName = '',
    tradingPausedSince = null,
    sandboxUrl = null,
  }: SessionStatus = {},
): DashboardSession => ({
  user: {
    ...person,
    factorRemovalAt: person.factorRemovalAt?.toISOString() ?? null,
    accountId: membership.accountId,
    accountKind: membership.accountKind,
    memberRole: membership.role,
  },
  roles: [...ROLES[membership.accountKind]],
  capabilities: [...capabilitiesOf(membership.role)],
  accountSuspended: isSuspended,
  tradingPausedSince: tradingPausedSince?.toISOString() ?? null,
  sandboxUrl,
  csrfToken: csrfTokenOf(token),
  expiresAt: expiresAt.toISOString(),
  impersonation: impersonation && {
    accountName,
    reason: impersonation.reason,
    until: impersonation.expiresAt.toISOString(),
  },
})

export const sessionItemView = (session: SessionSummary, currentId: string): SessionItem => ({
  id: session.id,
  current: session.id === currentId,
  address: session.address,
  browser: browserName(session.userAgent),
  userAgent: session.userAgent,
  createdAt: session.createdAt.toISOString(),
  lastSeenAt: session.lastSeenAt.toISOString(),
})
