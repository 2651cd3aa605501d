// The dashboard's view of a session.
import type { DashboardSession, Role, SessionItem } from '@tradepost/contract'
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

/** What a session says of its account. */
interface SessionAccount {
  readonly name: string | null
  readonly email: string | null
  readonly status: string
}

export const sessionView = (
  { person, membership, expiresAt, impersonation }: Session,
  token: string,
  account: SessionAccount | null = null,
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
  accountSuspended: account?.status === 'suspended',
  csrfToken: csrfTokenOf(token),
  expiresAt: expiresAt.toISOString(),
  impersonation: impersonation && {
    accountName: account?.name ?? account?.email ?? '',
    reason: impersonation.reason,
    until: impersonation.expiresAt.toISOString(),
  },
})

export const sessionItemView = (session: SessionSummary, currentId: string): SessionItem => ({
  id: session.id,
  current: session.id === currentId,
  address: session.address,
  userAgent: session.userAgent,
  createdAt: session.createdAt.toISOString(),
  lastSeenAt: session.lastSeenAt.toISOString(),
})
