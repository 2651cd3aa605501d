// How we call the game platform, and what of it rests, on the command line.
import { AS_JSON, command } from './declare.ts'
import { ageOf, json, table } from './table.ts'
import type { PlatformKind, PlatformRest } from './tools.ts'

export const platformKindsCommand = command(
  'platform:kinds',
  'the kinds of calls to the game platform, their headers and paces, and what of them rests',
  AS_JSON,
).does(async ({ readPlatformKinds, clock }, options) => {
  const kinds = await readPlatformKinds()
  if (options.json) return json(kinds, 2)
  const now = clock.now()
  const rows = kinds.map(({ kind, paceMs, counted, barred, bots }) => ({
    kind,
    'pace ms': paceMs,
    of: counted === 'bot' ? 'each bot' : 'our address',
    refused: barred === null ? '' : restText(barred, now),
    'bots at rest': bots.length === 0 ? '' : bots.length,
  }))
  return [
    table(rows, ['kind', 'pace ms', 'of', 'bots at rest', 'refused']),
    ...kinds.map((kind) => `\n${detailsOf(kind, now)}`),
  ].join('\n')
})

function detailsOf({ kind, headers, source, bots }: PlatformKind, now: Date): string {
  return [
    `${kind}: ${source}`,
    ...Object.entries(headers).map(([name, value]) => `  ${name}: ${value}`),
    ...bots.map((rest) => `  bot ${rest.botId} rests: ${restText(rest, now)}`),
  ].join('\n')
}

const restText = ({ since, until }: PlatformRest, now: Date): string =>
  `refused for ${ageOf(since, now)}, ${until > now ? `tried again at ${until.toISOString()}` : 'tried again with the next call'}`
