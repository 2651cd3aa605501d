// The people of an account: who is invited, changed and removed, each with an entry of the audit log.
import { type Actor, recordAct } from '#audit'
import { createAdmin, keepAccount } from '#identity'
import {
  acceptInvitation,
  changeRole,
  deletePerson,
  type Holder,
  type Invitation,
  type InvitationOrder,
  inviteMember,
  leaveTeam,
  type MemberOrder,
  type MemberRole,
  notifyMembers,
  type PeopleDeps,
  removeMember,
  revokeInvitation,
  type SentInvitation,
} from '#people'
import { withOwnEmail } from './accounts.ts'
import { type ActDeps, perform } from './act.ts'

const accountOf = (id: string) => ({ type: 'account', id })

type InvitingDeps = ActDeps & Pick<PeopleDeps, 'secrets' | 'publicUrl'>

/** Refuses USER_NOT_FOUND and RATE_LIMITED. */
export const inviteToAccount = (
  deps: InvitingDeps,
  actor: Actor,
  order: Omit<InvitationOrder, 'at'>,
): Promise<SentInvitation> =>
  perform(
    deps,
    actor,
    {
      act: 'member.invite',
      subject: accountOf(order.accountId),
      details: { email: order.email, role: order.role },
      accountId: order.accountId,
    },
    async (tx, at) => {
      await keepAccount(tx, order.accountId)
      return inviteMember(tx, deps, { ...order, at })
    },
  )

/**
 * An administrator of the service, who chooses a password behind the link and then needs a second factor.
 * Refuses VALIDATION_FAILED when another account has the e-mail address.
 */
export const openAdministrator = (
  deps: InvitingDeps,
  actor: Actor,
  { email, name, invitedBy }: { email: string; name: string; invitedBy: string },
): Promise<SentInvitation> =>
  withOwnEmail(() =>
    deps.db.transaction(async (tx) => {
      const at = deps.clock.now()
      const { id: accountId } = await createAdmin(tx, { email, name, at })
      const subject = accountOf(accountId)
      const details = { kind: 'admin', email, name }
      await recordAct(tx, { actor, act: 'account.create', subject, details, accountId, at })
      const membership = { accountId, accountKind: 'admin', role: 'administrator' } as const
      return inviteMember(tx, deps, { ...membership, email, invitedBy, inviterId: null, at })
    }),
  )

/** Refuses NOT_FOUND. */
export const takeBackInvitation = (
  deps: ActDeps,
  actor: Actor,
  order: { readonly accountId: string; readonly id: string },
): Promise<Invitation> =>
  perform(
    deps,
    actor,
    {
      act: 'member.revoke_invitation',
      subject: accountOf(order.accountId),
      details: { invitationId: order.id },
      accountId: order.accountId,
    },
    (tx, at) => revokeInvitation(tx, { ...order, at }),
  )

/** Its actor is the person who accepts. Refuses what `acceptInvitation` of people refuses. */
export const acceptIntoAccount = (
  deps: PeopleDeps,
  order: { readonly token: string; readonly password: string | null; readonly network: string },
  request: Actor['request'],
): Promise<Invitation> =>
  acceptInvitation(deps, order, (tx, { invitation, personId, at }) =>
    recordAct(tx, {
      actor: {
        kind: invitation.accountKind === 'admin' ? 'administrator' : 'member',
        ...{ id: personId, request },
      },
      act: 'member.accept',
      subject: accountOf(invitation.accountId),
      details: { invitationId: invitation.id, role: invitation.role },
      accountId: invitation.accountId,
      at,
    }),
  )

/** Refuses NOT_FOUND, and VALIDATION_FAILED for the last owner. */
export const changeMemberRole = (
  deps: ActDeps,
  actor: Actor,
  order: Omit<MemberOrder, 'at'> & { readonly role: MemberRole },
): Promise<void> =>
  perform(
    deps,
    actor,
    {
      act: 'member.change_role',
      subject: accountOf(order.accountId),
      details: { personId: order.personId, role: order.role },
      accountId: order.accountId,
    },
    (tx, at) => changeRole(tx, { ...order, at }),
  )

/** Refuses NOT_FOUND, and VALIDATION_FAILED for the last owner. */
export const removeFromAccount = (
  deps: ActDeps,
  actor: Actor,
  order: Omit<MemberOrder, 'at'>,
): Promise<void> =>
  perform(
    deps,
    actor,
    {
      act: 'member.remove',
      subject: accountOf(order.accountId),
      details: { personId: order.personId },
      accountId: order.accountId,
    },
    (tx, at) => removeMember(tx, { ...order, at }),
  )

/** By the member. Refuses NOT_FOUND, VALIDATION_FAILED for the last owner, and SESSION_EXPIRED. */
export const leaveAccount = (
  deps: ActDeps,
  actor: Actor,
  { email, ...order }: Omit<MemberOrder, 'at'> & Holder & { readonly email: string },
): Promise<void> =>
  perform(
    deps,
    actor,
    {
      act: 'member.leave',
      subject: accountOf(order.accountId),
      details: { personId: order.personId },
      accountId: order.accountId,
    },
    async (tx, at) => {
      await leaveTeam(tx, { ...order, at })
      const account = { id: order.accountId, about: 'everything' } as const
      const details = { email, at: at.toISOString() }
      await notifyMembers(tx, account, { template: 'member_left', details, at })
    },
  )

/** A person's own login. Refuses VALIDATION_FAILED for the last owner of an account, and SESSION_EXPIRED. */
export const deleteLogin = (deps: ActDeps, actor: Actor, holder: Holder): Promise<void> =>
  perform(
    deps,
    actor,
    { act: 'person.delete', subject: { type: 'person', id: holder.personId }, details: {} },
    (tx, at) => deletePerson(tx, holder, at),
  )
