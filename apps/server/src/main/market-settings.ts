// The settings of each market, by its definition.
import { MARKETS, type MarketDefinition, type MarketOption } from '../adapters/markets.ts'
import {
  choice,
  flag,
  httpUrl,
  integer,
  type Secret,
  type Setting,
  secret,
} from './setting-forms.ts'

export const marketUrl = ({ title }: MarketDefinition): Setting<string | null> =>
  httpUrl(`Base URL of ${title}. Unset for every market: the sandbox plays all counterparts.`)
export const marketKey = ({ title }: MarketDefinition): Setting<Secret | null> =>
  secret('a text', () => true)(`API key at ${title}.`)

export const marketOption = ({
  text: what,
  bounds,
  words,
  unset,
  inSandbox,
}: MarketOption): Setting<number | string | boolean | null> => {
  const form = bounds ? integer(...bounds) : words ? choice(...words) : flag
  const played = inSandbox ?? 'as the sandbox plays it'
  return form(`${what} Unset: ${unset}; with the sandbox, ${played}.`) as never
}

/** Read by `readMarketSettings`, which knows their types; here for the table and the check at a start. */
export function settingsOfMarkets(): object {
  return Object.fromEntries(
    MARKETS.flatMap((market) => [
      [market.variables.url, marketUrl(market)],
      [market.variables.key, marketKey(market)],
      ...(market.options ?? []).map((option) => [option.variable, marketOption(option)]),
    ]),
  )
}
