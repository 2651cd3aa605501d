// The dashboard's views of a team and of the accounts of a person.
import type { OwnAccount, ShownInvitation, Team } from '@tradepost/contract'
import type * as people from '#people'
import { hasFactor } from '#people'

export const teamView = ({
  members,
  invitations,
  selfId,
}: {
  readonly members: readonly people.Member[]
  readonly invitations: readonly people.Invitation[]
  /** Of the person who asks. */
  readonly selfId: string
}): Team => ({
  members: members.map((member) => ({
    ...{ personId: member.personId, email: member.email, role: member.role },
    self: member.personId === selfId,
    hasSecondFactor: hasFactor(member),
    since: member.since.toISOString(),
    lastSeenAt: member.lastSeenAt?.toISOString() ?? null,
  })),
  invitations: invitations.map(({ id, email, role, invitedBy, createdAt, expiresAt }) => ({
    ...{ id, email, role, invitedBy },
    createdAt: createdAt.toISOString(),
    expiresAt: expiresAt.toISOString(),
  })),
})

export const shownInvitationView = ({
  email,
  role,
  invitedBy,
  hasLogin,
}: people.ShownInvitation): ShownInvitation => ({ email, role, invitedBy, hasLogin })

export const ownAccountView = (
  { accountId, accountKind, role }: people.Membership,
  details: Pick<OwnAccount, 'name' | 'current'>,
): OwnAccount => ({ accountId, accountKind, role, ...details })
