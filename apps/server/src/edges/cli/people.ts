// People on the command line: administrators, and invitations to an account.

import { Refusal } from '#kernel/refusal'
import { inviteToAccount, openAdministrator, removeSecondFactor } from '#operations'
import type { AccountKind, MemberRole, SentInvitation } from '#people'
import {
  type Command,
  type Context,
  emailOf,
  findAccountOf,
  reasonOf,
  usage,
} from './invocation.ts'
import { json } from './table.ts'

const ROLES: readonly MemberRole[] = ['owner', 'developer', 'finance', 'read_only']
const KINDS: readonly AccountKind[] = ['merchant', 'partner', 'admin']

export const peopleCommands: Readonly<Record<string, Command>> = {
  'admin:create': async (context) => {
    const email = emailOf(context)
    const name = context.options.name?.trim() || email
    const order = { email, name, invitedBy: INVITED_BY }
    return shown(
      context,
      await openAdministrator(depsOf(context), context.actor, order).catch((error: unknown) => {
        if (!(error instanceof Refusal) || error.key !== 'VALIDATION_FAILED') throw error
        throw new Error(takenBy(email))
      }),
    )
  },

  'person:invite': async (context) => {
    const email = emailOf(context)
    const { id: accountId, kind } = await findAccountOf(context, context.options.account)
    const accountKind = KINDS.find((each) => each === kind)
    if (accountKind === undefined) return usage(`a ${kind} has no people`)
    const role = accountKind === 'admin' ? 'administrator' : roleOf(context)
    const order = { accountId, accountKind, email, role, invitedBy: INVITED_BY, inviterId: null }
    return shown(context, await inviteToAccount(depsOf(context), context.actor, order))
  },

  'person:remove-factor': async (context) => {
    const email = emailOf(context)
    await removeSecondFactor(context, context.actor, { email, reason: reasonOf(context) })
    return context.options.json
      ? json({ email, removed: true }, 2)
      : `${email} logs in with only the password until another second factor is set up.`
  },
}

/** An account has an e-mail address of its own; a person may belong to several accounts. */
const takenBy = (email: string): string =>
  `Refused: there is an account of ${email} already. If it is an administrator's, a new link is made by: ` +
  `npm run ops -- person:invite ${email} --account ${email}\nIf it is another's, the person can be added to ` +
  `an administrator's account: npm run ops -- person:invite ${email} --account <e-mail of an administrator>`

const INVITED_BY = 'The operator of the service'

const depsOf = (context: Context) => ({ ...context, secrets: context.openSecrets() })

const roleOf = ({ options: { role = 'owner' } }: Context): MemberRole =>
  ROLES.find((each) => each === role) ?? usage(`--role is one of ${ROLES.join(', ')}`)

/** The link is in the mail, too; where no mail server is set up yet, it is handed over from here. */
const shown = ({ options }: Context, { invitation, link }: SentInvitation): string =>
  options.json
    ? json({ accountId: invitation.accountId, link, expiresAt: invitation.expiresAt }, 2)
    : `${invitation.email} is invited as ${invitation.role}. The link works once, until ${invitation.expiresAt.toISOString()}: ${link}`
