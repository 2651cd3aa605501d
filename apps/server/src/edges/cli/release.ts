// What a deleted account still has, on the command line. The postings are shown first, and made with --yes.
import { type PlannedRelease, planRelease, releaseStrandedMoney } from '#operations'
import { type Command, findAccountOf, reasonOf } from './invocation.ts'
import { shownPosting } from './posting.ts'

export const releaseCommands: Readonly<Record<string, Command>> = {
  'account:release': async (context) => {
    const { id: accountId } = await findAccountOf(context, context.argument)
    const reason = reasonOf(context)
    if (!context.options.yes) {
      const planned = shownRelease(await planRelease(context.db, accountId), accountId)
      return `${planned}\nNothing is posted yet. Run the command again with --yes to post it.`
    }
    const posted = await releaseStrandedMoney(context, context.actor, { accountId, reason })
    return `${shownRelease(posted, accountId)}\nPosted.`
  },
}

const shownRelease = ({ wallet, inKind }: PlannedRelease, accountId: string): string =>
  [
    ...(wallet === null ? [] : [shownPosting(wallet)]),
    ...inKind.map(({ role, chain, token, units }) =>
      [
        `debit    custody: ${role} of ${accountId}`,
        'credit   custody: capital',
        `amount   ${units} base units of ${token} on ${chain}`,
      ].join('\n'),
    ),
  ].join('\n\n')
