const TIMES: ReadonlySet<string> = new Set(['at', 'since', 'askedAt', 'removesAt'])
const readable = new Intl.DateTimeFormat('en-US', {
  ...{ dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' },
})

/** As the dashboard shows times, but in UTC: a mail does not know its reader's zone. */
export function withReadableTimes<Facts extends object>(facts: Facts): Facts {
  const entries = Object.entries(facts).map(([name, fact]) => {
    const at = TIMES.has(name) ? new Date(fact) : null
    const isTime = at !== null && !Number.isNaN(at.getTime())
    return [name, isTime ? `${readable.format(at).replaceAll('\u202f', ' ')} UTC` : fact]
  })
  return Object.fromEntries(entries)
}
