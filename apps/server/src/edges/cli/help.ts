// The page of all commands.
import type { MarketId } from '#kernel/market-id'

export const namesOf = (markets: readonly MarketId[]): string => markets.join(' or ')

export const helpOfAll = (markets: readonly MarketId[]): string => `npm run ops -- <command>

  merchant:create <e-mail> --name <text> [--currency USD|EUR] [--tier t] [fees as in fees:set]
  partner:create <e-mail> --name <text> [--fee b] [--buy-fee b]
                                    a partner; its children are created through its interface
  admin:create <e-mail> [--name <text>]
                                    an administrator; the answer is a link to a first password
  person:invite <e-mail> --account <account> [--role owner|developer|finance|read_only]
                                    to a merchant or a partner in a role; to an administrator’s account always as
                                    administrator. A person may be in several accounts
  person:remove-factor <e-mail> --reason <text>
                                    a second factor that is lost, at once; an administrator's goes this way only
  key:issue <name> [--allow <network,...>]
                                    a new API key, shown this once
  key:rotate <key id> [--overlap 24] a new key; the old one is valid for so many hours more
  key:revoke <key id> --reason <text>
  key:list
  fees:set [--fee b] [--buy-fee b] [--sell-fee b] [--child-fee b] [--default b] [--reason <text>]
                                    basis points; --default is the house fee where nothing else is agreed
  tier:set <tier>                   an account's request budget: standard, premium or enterprise
  debts:recover yes|no --reason <text>
                                    whether a merchant's spot wallet repays what its users owe for more than a day
  account:suspend <account> --reason <text>
  account:reactivate <account> --reason <text>
  account:delete <account> --reason <text>
                                    a child or sub-user that has no money and nothing open
  wallet:credit <amount> --account <account> --reference <text> --reason <text> [--as <e-mail>]
                                    money that arrived outside; the same as adjust credit
  adjust credit|debit <amount> --account <account> --reference <text> --reason <text> [--wallet w] [--as <e-mail>]
                                    shows the posting; with --as an administrator proposes it, and gives a code of
                                    their authenticator app
  adjust list [--state s]           proposed, approved, withdrawn or all
  adjust show <id>
  adjust approve <id> [--as <e-mail>]
                                    shows the posting; with --as another administrator posts it
  adjust withdraw <id> --reason <text> --as <e-mail>
  account:release <account> --reason <text> [--yes]
                                    what a deleted account still has: of the wallet to its merchant, of custody
                                    to the service's own funds, in kind

  webhook:set <url>                 set and enable a merchant's endpoint; a new one's secret is shown once
  webhook:remove                    stop sending to it; open deliveries are skipped
  webhook:rotate [--overlap 24]     a new secret; the old one signs beside it for 0, 1, 24 or 72 hours
  webhook:test                      send a test now; it is listed with the deliveries
  webhook:deliveries [--status s]   the newest deliveries: pending, retrying, delivered, exhausted, skipped, parked
  webhook:resend <delivery id>      send a delivery again now, under its webhook-id
  webhook:recover [--since <time>]  try now what waits for a retry; with a time, also what was lost since then
  webhook:parked                    deliveries whose event could not be rendered, of all merchants
  webhook:retry-parked              try up to 10,000 of them again
  trading:pause --reason <text>     refuse new buys and sells with SERVICE_DISABLED
  trading:resume --reason <text>
  trading:waiting-limit <number>|none --reason <text>
                                    items of a merchant that may wait at a market; 300 unless set
  market:enable <market>            ${namesOf(markets)}
  market:disable <market> [--reason <text>]
  placing:open <market|bots|payments> --reason <text>
                                    after a restore: buy at a market, offer sells or pay withdrawals again, where
                                    the comparison did not open it (docs/runbooks/placing-gate.md)
  bot:forget <platform id> --reason <text>
                                    of a bot that is no longer ours: after a restore no sell waits for what it sent
  chains                            how far each chain is scanned, and what waits on it
  chain:halt <chain> --reason <text>
                                    scan, credit and sweep nothing on it
  chain:resume <chain> --reason <text>
  chain:name-payment <chain> --address <ours> --hash <transaction> --reason <text>
                                    by what native coin came that only a balance shows
  chain:unsupported                 deposits in unsupported tokens, newest first
  cases list [--state s] [--kind k] contradictions for an operator; --state is open, resolved or all
  cases show <id>                   a case with its log
  cases resolve <id> --reason <text> [--by <name>]
  market-health                     the workers of each market, its queue, its health
  overdue                           what waits longer than it should, by kind, the oldest first
  trade <id>                        a trade by any id that leads to it (item, offer, external id, supplier's order,
                                    request, event, transaction …): where its money is, then its whole timeline
  audit-log [--subject type:id] [--actor name]
                                    who did what, newest first

  deposits list                     payments that were held back and wait for an operator
  deposits release|refuse <id> --reason <text>
                                    credit one at the value that is shown, or never
  deposits explain <provider>:<ref> --reason <text>
                                    why a provider's statement and the books disagree
  mail:preview [message]            the messages that people get; one of them as text, or --json with its HTML

  payouts list                      withdrawals that wait for an operator
  payouts show <id>                 one of them: its approval, and the payment that it became
  payouts release|refuse <id> --reason <text>
  payouts paid|unpaid <id> --reason <text>
                                    a payment that was mined without moving its token: whether it was made
  payouts paid <id> --hash <transaction> --nonce <its nonce> --reason <text>
                                    after a restore: a transaction that the database lacks has paid it, so it is
                                    confirmed and not paid again
  wallets list                      the wallets that we sign from, and what counts as paid and has to be paid by hand
  wallets halt|reopen <chain>:<key> --reason <text> [--hash <transactions that took our nonces>]
  wallets settle <hash> --reason <text>   what was done about a payment that counts as paid and lost its nonce
  wallets opening <chain>:hot|gas --token <symbol> [--units <base units>] --reason <text> [--yes]
                                    book what a wallet held before the service knew of it, at most what the chain shows
  wallets loss <chain>:hot|gas --token <symbol> [--units <base units>] [--as capital] --reason <text>
                                    book what a foreign transaction cost, or (--as capital) an operator took out, at most
                                    what two nodes show less than the books; --units, --id and --yes as shown post it
  destinations list|add|remove|only|any [<address>]
                                    where a merchant's withdrawals may go; a new one waits for a day

  selling policy                    what the bots pay: bounds, bands by liquidity, exceptions
  selling set [--buying yes|no] [--least <USD>] [--most <USD>] [--share <percent>] [--waiting <sells>]
  selling band <sales a day> --discount <percent> | --clear
  selling item <id or name> [--phase p] --discount <percent> | --price <USD> | --refuse | --clear  --reason <text>
  selling stock [--state s]         what they bought; --state is protected, owned, returned or all

  --json                            cases, trade, overdue, selling, market-health and audit-log as JSON
  --merchant <id or e-mail>         the merchant of a command, where there are several
  --account <id, e-mail or name>    instead: a merchant, a partner or a child, which its apiKeyId names too`

export const ALL_COMMANDS = 'npm run ops -- help shows all commands'

/** The lines of `help` about a command; an entry begins with two spaces, and its other lines with more. */
export function helpOf(help: string, command: string): string {
  const entries = help.split(/\n+(?= {2}\S)/).slice(1)
  return entries.filter((entry) => entry.trim().split(' ', 1)[0] === command).join('\n')
}
