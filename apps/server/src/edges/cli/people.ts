// People on the command line: administrators, and invitations to an account.

import { Refusal } from '#kernel/refusal'
import { inviteToAccount, openAdministrator, removeSecondFactor } from '#operations'
import type { AccountKind, MemberRole, SentInvitation } from '#people'
import { type Context, fail, findAccountOf } from './context.ts'
import { AS_JSON, argument, command, email, needs, option, REASON, words } from './declare.ts'
import { json } from './table.ts'

const EMAIL = argument('<e-mail>', 'of the person', email)
const ROLES = ['owner', 'developer', 'finance', 'read_only'] as const
const KINDS: readonly AccountKind[] = ['merchant', 'partner', 'admin']

export const peopleCommands = [
  command(
    'admin:create',
    'open an administrator; the answer is a link to a first password',
    EMAIL,
    option('--name <text>', 'without, the e-mail address', words),
    AS_JSON,
  ).does(async (context, email, { name = email, ...options }) => {
    const order = { email, name, invitedBy: INVITED_BY }
    const opened = openAdministrator(depsOf(context), context.actor, order)
    const invited = await opened.catch((error: unknown) => {
      if (!(error instanceof Refusal) || error.key !== 'VALIDATION_FAILED') throw error
      return fail(takenBy(email))
    })
    return shown(invited, options)
  }),

  command(
    'person:invite',
    'invite a person to an account; a person may be in several accounts',
    EMAIL,
    needs('--account <account>', 'of a merchant, a partner or an administrator'),
    option(
      '--role <role>',
      'in a merchant or a partner; to an administrator’s account always as administrator',
      ROLES,
      'owner',
    ),
    AS_JSON,
  ).does(async (context, email, { account, role: asked, ...options }) => {
    const { id: accountId, kind } = await findAccountOf(context, account)
    const accountKind = KINDS.find((each) => each === kind)
    if (accountKind === undefined) return fail(`a ${kind} has no people`)
    const role: MemberRole = accountKind === 'admin' ? 'administrator' : asked
    const order = { accountId, accountKind, email, role, invitedBy: INVITED_BY, inviterId: null }
    return shown(await inviteToAccount(depsOf(context), context.actor, order), options)
  }),

  command(
    'person:remove-factor',
    "remove a second factor that is lost, at once; an administrator's goes this way only",
    ...[EMAIL, REASON, AS_JSON],
  ).does(async (context, email, { reason, ...options }) => {
    await removeSecondFactor(context, context.actor, { email, reason })
    return options.json
      ? json({ email, removed: true }, 2)
      : `${email} logs in with only the password until another second factor is set up.`
  }),
]

/** An account has an e-mail address of its own; a person may belong to several accounts. */
const takenBy = (email: string): string =>
  `Refused: there is an account of ${email} already. If it is an administrator's, a new link is made by: ` +
  `npm run ops -- person:invite ${email} --account ${email}\nIf it is another's, the person can be added to ` +
  `an administrator's account: npm run ops -- person:invite ${email} --account <e-mail of an administrator>`

const INVITED_BY = 'The operator of the service'

const depsOf = (context: Context) => ({ ...context, secrets: context.openSecrets() })

/** The link is in the mail, too; where no mail server is set up yet, it is handed over from here. */
const shown = ({ invitation, link }: SentInvitation, options: { readonly json?: true }): string =>
  options.json
    ? json({ accountId: invitation.accountId, link, expiresAt: invitation.expiresAt }, 2)
    : `${invitation.email} is invited as ${invitation.role}. The link works once, until ${invitation.expiresAt.toISOString()}: ${link}`
