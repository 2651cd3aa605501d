const FORM = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })

/** In the reader's zone; UTC on hover. */
export function Time({ at }: { readonly at: string }) {
  const date = new Date(at)
  return (
    <time dateTime={at} title={date.toISOString()}>
      {FORM.format(date)}
    </time>
  )
}
