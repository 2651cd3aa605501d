// The SQL of the look-ups of trade URLs.
import { columns, json, text, time } from '#infra/database/columns'
import { type Queryable, sql } from '#infra/database/db'
import { type DueQuestion, dueWhere } from '#infra/jobs/due-watch'
import type { LookUpContext, ParsedTradeUrl, TradeUrlAnswer, TradeUrlSource } from './ports.ts'

/** What a worker has found out, and how. */
export interface LookedUp {
  readonly by: TradeUrlSource
  readonly answer: TradeUrlAnswer
  readonly tookMs: number
}

export interface Answered {
  readonly url: string
  readonly lookedUp: LookedUp
  readonly answeredAt: Date
}

export interface Claimed extends LookUpContext {
  readonly url: string
  readonly partner: number
  readonly token: string
}

/** As the column has it: one object, whose `kind` the SQL reads. */
type Stored = TradeUrlAnswer & Pick<LookedUp, 'by' | 'tookMs'>

const ANSWERED = columns<{ url: string; answer: Stored; answeredAt: Date }>('', {
  url: text,
  answer: json,
  answeredAt: time,
}).to(
  ({ url, answer: { by, tookMs, ...answer }, answeredAt }): Answered => ({
    url,
    lookedUp: { by, tookMs, answer: answer as TradeUrlAnswer },
    answeredAt,
  }),
)

const ASK = sql(
  'identity.ask_trade_url',
  'select identity.ask_trade_url($1, $2, $3, $4, $5, $6, $7, $8)',
)

export async function askTradeUrl(
  db: Queryable,
  { canonical, partner, token }: ParsedTradeUrl,
  {
    tenantId,
    requestId,
    ...times
  }: LookUpContext & { readonly at: Date; readonly goodSince: Date; readonly stale: Date },
): Promise<void> {
  const { at, goodSince, stale } = times
  await db.query(ASK, [canonical, partner, token, tenantId, requestId, at, goodSince, stale])
}

const READ = sql(
  'identity.read_trade_url_answers',
  `select ${ANSWERED.list} from identity.trade_url_look_up
   where url = any ($1) and answer is not null limit 10000`,
)

/** Those of these URLs that are answered. */
export const readAnswers = (db: Queryable, urls: readonly string[]): Promise<Answered[]> =>
  ANSWERED.all(db, READ, [urls])

const CLAIMED = columns<Claimed>('', {
  url: text,
  partner: Number,
  token: text,
  tenantId: text,
  requestId: text,
})

/** Whether trade URLs that were asked for lately are to be looked up. */
export const TRADE_URLS_DUE: DueQuestion = dueWhere(
  'identity.trade_urls',
  `exists (select from identity.trade_url_look_up
    where answer is null and asked_at > $1::timestamptz - interval '1 minute'
      and (claimed_until is null or claimed_until <= $1))`,
)

const CLAIM = sql(
  'identity.claim_trade_urls',
  `select ${CLAIMED.list} from identity.claim_trade_urls($1, $2, $3, $4, $5)`,
)

export const claimTradeUrls = (
  db: Queryable,
  {
    claimId,
    at,
    until,
    since,
    limit,
  }: {
    readonly claimId: string
    readonly at: Date
    readonly until: Date
    /** What was asked before has no one waiting for it any more. */
    readonly since: Date
    readonly limit: number
  },
): Promise<Claimed[]> => CLAIMED.all(db, CLAIM, [claimId, at, until, since, limit])

const ANSWER = sql('identity.answer_trade_url', 'select identity.answer_trade_url($1, $2, $3, $4)')
const COMPLETE = sql(
  'identity.complete_trade_urls',
  'select identity.complete_trade_urls($1, $2, $3, $4)',
)

export async function writeAnswer(
  db: Queryable,
  { url, partner, token }: Claimed,
  {
    claimId,
    lookedUp: { answer, by, tookMs },
    at,
  }: { readonly claimId: string; readonly lookedUp: LookedUp; readonly at: Date },
): Promise<void> {
  await db.query(ANSWER, [url, claimId, JSON.stringify({ ...answer, by, tookMs }), at])
  if (answer.kind !== 'resolved' || by !== 'bots') return
  const { personaName, avatarUrl } = answer.persona
  await db.query(COMPLETE, [partner, token, personaName, avatarUrl])
}

const PURGE = sql(
  'identity.purge_trade_url_look_ups',
  `delete from identity.trade_url_look_up where url in
     (select url from identity.trade_url_look_up where asked_at < $1 order by asked_at limit $2)
   returning url`,
)

/** How many were removed. */
export const purgeLookUps = async (
  db: Queryable,
  { before, limit }: { readonly before: Date; readonly limit: number },
): Promise<number> => (await db.query(PURGE, [before, limit])).length
