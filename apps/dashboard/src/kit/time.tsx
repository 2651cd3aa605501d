const FORM = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
const EXACT = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })

/** In the reader's zone; UTC on hover. */
export function Time({ at, seconds = false }: { readonly at: string; readonly seconds?: boolean }) {
  const date = new Date(at)
  const utc = date.toISOString().replace('T', ' ').replace('Z', ' UTC')
  return (
    <time dateTime={at} title={utc}>
      {(seconds ? EXACT : FORM).format(date)}
    </time>
  )
}

const RELATIVE = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto', style: 'short' })
const STEPS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const

/** How long ago, or in how long; the exact time on hover. */
export function Ago({ at }: { readonly at: string }) {
  const distance = Date.parse(at) - Date.now()
  const [unit, size] = STEPS.find(([, each]) => Math.abs(distance) >= each) ?? STEPS[3]
  return (
    <time dateTime={at} title={EXACT.format(new Date(at))}>
      {RELATIVE.format(Math.round(distance / size), unit)}
    </time>
  )
}
