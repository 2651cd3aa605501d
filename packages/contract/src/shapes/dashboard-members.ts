// The people of an account, and the accounts of a person.
import { type Static, Type } from 'typebox'
import { AccountName, DateTime, EmailAddress, Uuid } from '../primitives.ts'
import { describe, nullable, stringEnum } from '../schema.ts'
import { MemberRole } from './dashboard-session.ts'

/** Roles that an owner gives; an administrator of the service is made on its command line. */
export const TEAM_ROLES = ['owner', 'developer', 'finance', 'read_only'] as const
const TeamRole = stringEnum(TEAM_ROLES)

export const TeamMember = Type.Object(
  {
    personId: Uuid,
    email: Type.String(),
    role: MemberRole,
    self: describe(Type.Boolean(), 'The person who asks.'),
    hasSecondFactor: Type.Boolean(),
    since: DateTime,
    lastSeenAt: nullable(DateTime),
  },
  { title: 'TeamMember' },
)
export type TeamMember = Static<typeof TeamMember>

export const TeamInvitation = Type.Object(
  {
    id: Uuid,
    email: Type.String(),
    role: MemberRole,
    invitedBy: Type.String(),
    createdAt: DateTime,
    expiresAt: DateTime,
  },
  { title: 'TeamInvitation' },
)
export type TeamInvitation = Static<typeof TeamInvitation>

export const Team = Type.Object(
  {
    members: describe(Type.Array(TeamMember), 'The oldest first.'),
    invitations: describe(Type.Array(TeamInvitation), 'Those that can still be accepted.'),
  },
  { title: 'Team' },
)
export type Team = Static<typeof Team>

export const InviteBody = Type.Object(
  { email: EmailAddress, role: TeamRole },
  { title: 'InviteBody' },
)
export const InvitationParams = Type.Object({ id: Uuid }, { title: 'InvitationParams' })
export const MemberParams = Type.Object(
  { id: describe(Uuid, 'Of the person.') },
  { title: 'MemberParams' },
)
export const ChangeRoleBody = Type.Object({ role: TeamRole }, { title: 'ChangeRoleBody' })

const Token = Type.String({ minLength: 1, maxLength: 128 })
export const InvitationTokenBody = Type.Object({ token: Token }, { title: 'InvitationTokenBody' })
export const ShownInvitation = Type.Object(
  {
    email: Type.String(),
    role: MemberRole,
    invitedBy: Type.String(),
    hasLogin: describe(Type.Boolean(), 'False: accepting it needs a password for a new login.'),
  },
  { title: 'ShownInvitation' },
)
export type ShownInvitation = Static<typeof ShownInvitation>
export const AcceptInvitationBody = Type.Object(
  {
    token: Token,
    password: Type.Optional(
      describe(
        Type.String({ minLength: 1, maxLength: 256 }),
        'Of a new login: at least ten characters, and none of the common ones.',
      ),
    ),
  },
  { title: 'AcceptInvitationBody' },
)
export const AcceptedInvitation = Type.Object(
  { email: Type.String(), role: MemberRole },
  { title: 'AcceptedInvitation' },
)
export type AcceptedInvitation = Static<typeof AcceptedInvitation>

export const OwnAccount = Type.Object(
  {
    accountId: Uuid,
    accountKind: stringEnum(['merchant', 'partner', 'admin']),
    name: nullable(Type.String()),
    role: MemberRole,
    current: describe(Type.Boolean(), 'The account of this session.'),
  },
  { title: 'OwnAccount' },
)
export type OwnAccount = Static<typeof OwnAccount>
export const LeftAccount = Type.Object({ left: Type.Literal(true) }, { title: 'LeftAccount' })
export const RenameAccountBody = Type.Object({ name: AccountName }, { title: 'RenameAccountBody' })
export const RenamedAccount = Type.Object({ name: AccountName }, { title: 'RenamedAccount' })
export const CloseAccountBody = Type.Object(
  {
    confirmation: describe(
      Type.String({ minLength: 1, maxLength: 256 }),
      'The name of the account, typed out; its id where it has no name.',
    ),
  },
  { title: 'CloseAccountBody' },
)
export const ClosedAccount = Type.Object({ closed: Type.Literal(true) }, { title: 'ClosedAccount' })
export const SwitchAccountBody = Type.Object({ accountId: Uuid }, { title: 'SwitchAccountBody' })
