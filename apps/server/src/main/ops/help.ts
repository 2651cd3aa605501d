import { MARKETS } from '../../providers/markets.ts'

export const MARKET_NAMES = MARKETS.map(({ id }) => id).join(' or ')

export const HELP = `npm run ops -- <command>

  webhook:set <url>                 set and enable a merchant's endpoint; a new one's secret is shown once
  webhook:rotate [--overlap 24]     a new secret; the old one signs beside it for 0, 1, 24 or 72 hours
  webhook:deliveries [--status s]   the newest deliveries: pending, retrying, delivered, exhausted, skipped, parked
  webhook:resend <delivery id>      send a delivery again now, under its own webhook-id
  webhook:recover --since <time>    send again what was skipped or ran out of retries since then
  webhook:parked                    deliveries whose event could not be rendered, of all merchants
  webhook:retry-parked              try up to 10,000 of them again
  trading:pause --reason <text>     refuse new buys and sells with SERVICE_DISABLED
  trading:resume --reason <text>
  market:enable <market>            ${MARKET_NAMES}
  market:disable <market> [--reason <text>]
  placing:open <market> --reason <text>
                                    place purchases again after a restore, without a comparison
  tier:set <tier>                   a merchant's request budget: standard, premium or enterprise
  cases list [--state s] [--kind k] contradictions for an operator; --state is open, resolved or all
  cases show <id>                   a case with its log
  cases resolve <id> --reason <text> [--by <name>]
  market-health                     the workers of each market, its queue, its health
  trade <id>                        a trade by its id, or that of an item or offer: its whole timeline
  audit-log [--subject type:id] [--actor name]
                                    who did what, newest first

  selling policy                    what the bots pay: bounds, bands by liquidity, exceptions
  selling set [--buying yes|no] [--least <USD>] [--most <USD>]
  selling band <sales a day> --discount <percent> | --clear
  selling item <id or name> [--phase p] --discount <percent> | --price <USD> | --refuse | --clear  --reason <text>
  selling stock [--state s]         what they bought; --state is protected, owned, returned or all

  --json                            cases, trade, selling, market-health and audit-log as JSON
  --merchant <id or e-mail>         the merchant of a webhook or tier command, if there are several`
