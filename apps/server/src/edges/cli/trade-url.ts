// What stands behind a trade URL, asked as a merchant's request asks, on the command line.
import { readTradeUrl } from '@tradepost/contract'
import { createAskedPlatform, platformIdOf, readTradeUrlSource } from '#identity'
import { newId } from '#kernel/id'
import { fail } from './context.ts'
import { AS_JSON, argument, command } from './declare.ts'
import { ageOf, json } from './table.ts'

/** An operator is no tenant, and has a turn of its own. */
const OPERATOR = '00000000-0000-0000-0000-000000000000'

export const tradeUrlCommand = command(
  'trade-url',
  'who says what is behind a trade URL, what was read, and in how long',
  argument('<url>'),
  AS_JSON,
).does(async ({ db, clock, communityHost }, text, options) => {
  const read = readTradeUrl(text, communityHost)
  if (read === null) return fail(`this is no trade URL of ${communityHost}`)
  const { url, partner, token } = read
  const answered = await createAskedPlatform({ db, clock }).lookUp(
    { canonical: url, partner, token, platformId: platformIdOf(partner) },
    { requestId: newId(), tenantId: OPERATOR },
  )
  if (answered === null) {
    const source = (await readTradeUrlSource(db)) ?? 'unknown'
    return fail(`no worker answered in time: does one run? Trade URLs: ${source}`)
  }
  const { lookedUp, answeredAt } = answered
  if (options.json) return json({ url, ...lookedUp, answeredAt }, 2)
  const { answer, by, tookMs } = lookedUp
  const details =
    answer.kind === 'resolved'
      ? [
          `account ${answer.persona.platformId}, named ${answer.persona.personaName}`,
          `hold of ${answer.holdDays} days, ${answer.probation ? 'on' : 'no'} probation`,
        ]
      : [answer.detail]
  return [
    url,
    `${answer.kind}, by ${by}, in ${tookMs} ms, ${ageOf(answeredAt, clock.now())} ago`,
    ...details,
  ].join('\n')
})
