// Who acts for an account: invited by mail, in a role, until removed. An account keeps one owner at least.
import type { Tx } from '#infra/database/db'
import { newId } from '#kernel/id'
import { refuse } from '#kernel/refusal'
import { queueMail, queueNotice } from '#mail'
import type { PeopleDeps } from './deps.ts'
import { refuseWeakPassword } from './password.ts'
import {
  type AccountKind,
  type Capability,
  capabilitiesOf,
  DAY_MS,
  type MemberRole,
} from './person.ts'
import { type Holder, lockHolder } from './session.ts'
import {
  countInvitations,
  findInvitation,
  type Invitation,
  insertInvitation,
  revokeAllInvitations,
  revokeInvitations,
  revokeInvitationsOf,
  spendInvitation,
} from './store/invitations.ts'
import {
  endMembership,
  hasMember,
  insertMembership,
  type LockedMember,
  listMemberships,
  lockMembers,
  lockRole,
  setRole,
} from './store/members.ts'
import {
  erasePerson,
  findByEmail,
  insertPerson,
  lockByEmail,
  markVerified,
  setPassword,
} from './store/people.ts'
import { endSessionsOfMember } from './store/sessions.ts'
import { mayInviteTo } from './throttle.ts'
import { hashToken, newToken } from './token.ts'

const INVITATION_DAYS = 7
/** Of one account in a day: invitations are mails to any address. */
const INVITATIONS_A_DAY = 50

export interface InvitationOrder {
  readonly accountId: string
  readonly accountKind: AccountKind
  readonly email: string
  readonly role: MemberRole
  /** As the mail names them. */
  readonly invitedBy: string
  /** A member of the account; null: the operator of the service. */
  readonly inviterId: string | null
  readonly at: Date
}

export interface SentInvitation {
  readonly invitation: Invitation
  /** What the mail leads to; it works once. */
  readonly link: string
}

/**
 * Sends an invitation; an open one to the same address stops working. Refuses VALIDATION_FAILED for a member,
 * whose role is changed instead, and RATE_LIMITED above fifty of an account in a day, five of it in a row to
 * one address, or twenty of all accounts to it, until an hour after the last.
 */
export async function inviteMember(
  tx: Tx,
  { secrets, publicUrl }: Pick<PeopleDeps, 'secrets' | 'publicUrl'>,
  order: InvitationOrder,
): Promise<SentInvitation> {
  const { accountId, email, role, invitedBy, inviterId, at } = order
  if (await hasMember(tx, accountId, email)) refuseMember()
  const dayAgo = new Date(at.getTime() - DAY_MS)
  if ((await countInvitations(tx, accountId, dayAgo)) >= INVITATIONS_A_DAY) refuseFlood()
  if (!(await mayInviteTo(tx, { email, accountId, at }))) refuseFlood()
  await revokeInvitations(tx, { accountId, email, at })
  const { token, hash } = newToken()
  const expiresAt = new Date(at.getTime() + INVITATION_DAYS * DAY_MS)
  const { accountKind } = order
  const invitation: Invitation = {
    ...{ id: newId(at.getTime()), accountId, accountKind, email, role, invitedBy, inviterId },
    ...{ createdAt: at, expiresAt },
  }
  await insertInvitation(tx, { ...invitation, tokenHash: hash })
  const link = `${publicUrl()}/dashboard/invitation#token=${token}`
  const details = { link, invitedBy, role: role.replace('_', ' '), days: INVITATION_DAYS }
  await queueMail(tx, secrets, { to: email, template: 'invitation', details, at })
  return { invitation, link }
}

/** Refuses NOT_FOUND. */
export const revokeInvitation = async (
  tx: Tx,
  order: { readonly accountId: string; readonly id: string; readonly at: Date },
): Promise<Invitation> => (await revokeInvitations(tx, order)) ?? refuse('NOT_FOUND')

export interface ShownInvitation extends Invitation {
  /** False: the person chooses a password with the acceptance. */
  readonly hasLogin: boolean
}

/** What a link leads to; it stays good. Refuses TOKEN_INVALID. */
export async function readInvitation(
  { db, clock }: PeopleDeps,
  token: string,
): Promise<ShownInvitation> {
  const invitation = await findInvitation(db, hashToken(token), clock.now())
  if (invitation === null) return refuse('TOKEN_INVALID')
  const person = await findByEmail(db, invitation.email)
  return { ...invitation, hasLogin: person !== null && person.emailVerifiedAt !== null }
}

/**
 * Makes the reader of the mail a member: who has a login keeps it as it is, anyone else gets one with
 * `password`. Refuses TOKEN_INVALID, also when the inviter may invite no more and when the reader is a member
 * already, and PASSWORD_TOO_WEAK for a new person, which leaves the link usable.
 */
export async function acceptInvitation(
  deps: PeopleDeps,
  {
    token,
    password,
    network,
  }: { readonly token: string; readonly password: string | null; readonly network: string },
  /** In the same transaction, for the audit log. */
  onAccepted: (
    tx: Tx,
    accepted: { invitation: Invitation; personId: string; at: Date },
  ) => Promise<void>,
): Promise<Invitation> {
  const { db, clock, passwords } = deps
  const { accountId, email, hasLogin } = await readInvitation(deps, token)
  if (!hasLogin) await refuseWeakPassword(password ?? '', email)
  const passwordHash = hasLogin ? null : await passwords.hash(password ?? '', network)
  return db.transaction(async (tx) => {
    const at = clock.now()
    // Before the invitation, as where a member is removed: the inviter stays a member until the commit.
    const members = await lockMembers(tx, accountId)
    const invitation = await spendInvitation(tx, hashToken(token), at)
    if (invitation === null || !isGoodInviter(members, invitation)) return refuse('TOKEN_INVALID')
    const { accountKind, role } = invitation
    const personId = await personOfMailbox(tx, { email, passwordHash, at })
    const isNew = await insertMembership(tx, { personId, accountId, accountKind, role, at })
    if (!isNew) return refuse('TOKEN_INVALID')
    await onAccepted(tx, { invitation, personId, at })
    return invitation
  })
}

/** An invitation gives no more than its inviter may give when it is accepted. */
const isGoodInviter = (members: readonly LockedMember[], { inviterId }: Invitation): boolean =>
  inviterId === null ||
  members.some(({ personId, role }) => personId === inviterId && mayInvite(role))

const mayInvite = (role: MemberRole): boolean => capabilitiesOf(role).has('members.write')

/**
 * Who reads the mailbox of `email`. A login that was never confirmed may be an attacker's who only typed the
 * address: it gets the password of the one who does read it.
 */
async function personOfMailbox(
  tx: Tx,
  { email, passwordHash, at }: { email: string; passwordHash: string | null; at: Date },
): Promise<string> {
  const known = await lockByEmail(tx, email)
  if (known !== null && known.emailVerifiedAt !== null) return known.id
  // It was confirmed a moment ago, and is not any more.
  if (passwordHash === null) return refuse('TOKEN_INVALID')
  if (known !== null) {
    await setPassword(tx, { personId: known.id, passwordHash, at })
    await markVerified(tx, known.id, at)
    return known.id
  }
  const id = newId(at.getTime())
  const isNew = await insertPerson(tx, { id, email, passwordHash, emailVerifiedAt: at, at })
  return isNew ? id : refuse('TOKEN_INVALID')
}

export interface MemberOrder {
  readonly accountId: string
  readonly personId: string
  readonly at: Date
}

/**
 * The member's sessions for this account end, so that none carries an older role, and invitations by and to
 * the member where the new role sends none. Refuses NOT_FOUND, and VALIDATION_FAILED for the last owner.
 */
export async function changeRole(
  tx: Tx,
  { accountId, personId, role, at }: MemberOrder & { readonly role: MemberRole },
): Promise<void> {
  const members = await lockMembers(tx, accountId)
  const { role: before } = memberOf(members, personId)
  if (before === role) return
  if (role !== 'owner') refuseLastOwner(members, personId)
  await setRole(tx, { personId, accountId, role })
  if (!mayInvite(role)) await revokeInvitationsOf(tx, { accountId, personId, at })
  await endSessionsOfMember(tx, { personId, accountId, at })
}

/** By the member, from a session that is still good. Refuses as `removeMember`, and SESSION_EXPIRED. */
export async function leaveTeam(
  tx: Tx,
  { sessionId, ...order }: MemberOrder & Holder,
): Promise<void> {
  await lockHolder(tx, { personId: order.personId, sessionId })
  await removeMember(tx, order)
}

/**
 * Invitations by the member and to the member end, too. Refuses NOT_FOUND, and VALIDATION_FAILED for the last
 * owner.
 */
export async function removeMember(
  tx: Tx,
  { accountId, personId, at }: MemberOrder,
): Promise<void> {
  const members = await lockMembers(tx, accountId)
  memberOf(members, personId)
  refuseLastOwner(members, personId)
  await revokeInvitationsOf(tx, { accountId, personId, at })
  await endMembership(tx, { personId, accountId, at })
  await endSessionsOfMember(tx, { personId, accountId, at })
}

/**
 * Deletes a login: its memberships end, and nothing personal stays. The history of what it did stays, under
 * its id. Refuses VALIDATION_FAILED for the last owner of an account, SESSION_EXPIRED as `lockHolder` does.
 */
export async function deletePerson(tx: Tx, holder: Holder, at: Date): Promise<void> {
  const person = await lockHolder(tx, holder)
  const { personId } = holder
  // Under the lock: an invitation is accepted before it, or not at all.
  const memberships = await listMemberships(tx, personId)
  const accountIds = memberships.map(({ accountId }) => accountId).sort()
  for (const accountId of accountIds) {
    refuseLastOwner(await lockMembers(tx, accountId), personId)
    await revokeInvitationsOf(tx, { accountId, personId, at })
    await endMembership(tx, { personId, accountId, at })
  }
  const details = { at: at.toISOString() }
  await queueNotice(tx, { to: person.email, template: 'login_deleted', details, at })
  await erasePerson(tx, personId, at)
}

/**
 * The team of an account that is closed: every membership, session and invitation ends, and a login that acts
 * for no other account is deleted.
 */
export async function closeTeam(
  tx: Tx,
  { accountId, at }: { readonly accountId: string; readonly at: Date },
): Promise<void> {
  for (const { personId } of await lockMembers(tx, accountId)) {
    await endMembership(tx, { personId, accountId, at })
    await endSessionsOfMember(tx, { personId, accountId, at })
    if ((await listMemberships(tx, personId)).length === 0) await erasePerson(tx, personId, at)
  }
  await revokeAllInvitations(tx, accountId, at)
}

/**
 * What a member may do for an account now, and until the transaction ends: a call that was admitted before
 * its member was removed, or lost a right, waits here for that.
 */
export async function lockCapabilities(
  tx: Tx,
  {
    isOfTeam,
    ...member
  }: {
    readonly personId: string
    readonly accountId: string
    /** Other memberships are about to be changed, too: all are locked at once, in one order. */
    readonly isOfTeam: boolean
  },
): Promise<ReadonlySet<Capability>> {
  const role = isOfTeam ? await lockRoleInTeam(tx, member) : await lockRole(tx, member)
  return role === null ? new Set() : capabilitiesOf(role)
}

async function lockRoleInTeam(
  tx: Tx,
  { personId, accountId }: { readonly personId: string; readonly accountId: string },
): Promise<MemberRole | null> {
  const members = await lockMembers(tx, accountId)
  return members.find((member) => member.personId === personId)?.role ?? null
}

const memberOf = (members: readonly LockedMember[], personId: string): LockedMember =>
  members.find((member) => member.personId === personId) ?? refuse('NOT_FOUND')

const OWNERS: ReadonlySet<MemberRole> = new Set(['owner', 'administrator'])

/** True when no other member owns the account. */
const isLastOwner = (members: readonly LockedMember[], personId: string): boolean => {
  const owners = members.filter(({ role }) => OWNERS.has(role))
  return owners.length === 1 && owners[0]?.personId === personId
}

function refuseLastOwner(members: readonly LockedMember[], personId: string): void {
  if (!isLastOwner(members, personId)) return
  refuse('VALIDATION_FAILED', {
    errors: [
      {
        ...{ in: 'path', pointer: '/id', rule: 'lastOwner' },
        message: 'is the last owner of the account: make another member an owner first',
      },
    ],
  })
}

const refuseMember = (): never =>
  refuse('VALIDATION_FAILED', {
    errors: [
      {
        ...{ in: 'body', pointer: '/email', rule: 'member' },
        message: 'is a member of the account already: change its role instead',
      },
    ],
  })

const refuseFlood = (): never =>
  refuse('RATE_LIMITED', {
    ...{ scope: 'route', policy: 'invitations', limit: INVITATIONS_A_DAY },
    ...{ windowSeconds: DAY_MS / 1000, retryAfterSeconds: 3600 },
  })
