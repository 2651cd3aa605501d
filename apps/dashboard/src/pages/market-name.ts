import { texts } from '../texts/texts.ts'

const names: Readonly<Record<string, string>> = texts.partner.health.markets

/** As people say it; a name that we do not know stays as it is. */
export const marketName = (market: string): string => names[market] ?? market
