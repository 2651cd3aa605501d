// What a deleted sub-user still has, on the command line. The posting is shown first, and made with --yes.
import { planRelease, releaseStrandedMoney } from '#operations'
import { type Command, findAccountOf, reasonOf } from './invocation.ts'
import { shownPosting } from './posting.ts'

export const releaseCommands: Readonly<Record<string, Command>> = {
  'account:release': async (context) => {
    const { id: accountId } = await findAccountOf(context, context.argument)
    const reason = reasonOf(context)
    const posting = shownPosting(await planRelease(context.db, accountId))
    if (!context.options.yes) {
      return `${posting}\nNothing is posted yet. Run the command again with --yes to post it.`
    }
    const { journalId } = await releaseStrandedMoney(context, context.actor, { accountId, reason })
    return `${posting}\nPosted as ${journalId}.`
  },
}
