// What a deleted account still has, on the command line. The postings are shown first, and made with --yes.
import { type PlannedRelease, planRelease, releaseStrandedMoney } from '#operations'
import { findAccountOf } from './context.ts'
import { argument, command, option, REASON } from './declare.ts'
import { shownPosting } from './posting.ts'

export const releaseCommand = command(
  'account:release',
  "release what a deleted account still has: of the wallet to its merchant, of custody to the service's own funds, in kind",
  argument('<account>', 'by its id, e-mail or name'),
  REASON,
  option('--yes', 'post what is shown without it'),
).does(async (context, account, { reason, yes }) => {
  const { id: accountId } = await findAccountOf(context, account)
  if (!yes) {
    const planned = shownRelease(await planRelease(context.db, accountId), accountId)
    return `${planned}\nNothing is posted yet. Run the command again with --yes to post it.`
  }
  const posted = await releaseStrandedMoney(context, context.actor, { accountId, reason })
  return `${shownRelease(posted, accountId)}\nPosted.`
})

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
