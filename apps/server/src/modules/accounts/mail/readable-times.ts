const TIMES: ReadonlySet<string> = new Set(['at', 'since', 'askedAt', 'removesAt'])
const readable = new Intl.DateTimeFormat('en-US', {
  ...{ dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' },
})

/** As the dashboard shows times, but in UTC: a mail does not know its reader's zone. */
export function withReadableTimes<Details extends object>(details: Details): Details {
  const entries = Object.entries(details).map(([name, detail]) => {
    const at = TIMES.has(name) ? new Date(detail) : null
    const isTime = at !== null && !Number.isNaN(at.getTime())
    return [name, isTime ? `${readable.format(at).replaceAll('\u202f', ' ')} UTC` : detail]
  })
  return Object.fromEntries(entries)
}
