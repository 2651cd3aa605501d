import { Link, type LinkProps } from '@tanstack/react-router'
import { texts } from '../../texts/texts.ts'
import css from './overview.module.css'

interface SpansProps<Span extends string> {
  readonly to: LinkProps['to']
  readonly spans: readonly Span[]
  readonly names: Readonly<Record<Span, string>>
  readonly chosen: Span | null
}

/** A time that ends now, each an address of its own. */
export const Spans = <Span extends string>({ to, spans, names, chosen }: SpansProps<Span>) => (
  <nav className={css.spans} aria-label={texts.overview.span}>
    {spans.map((span) => (
      <Link
        key={span}
        {...({ to, search: { span } } as LinkProps)}
        aria-current={span === chosen ? 'true' : undefined}
        activeProps={{ 'aria-current': undefined }}
      >
        {names[span]}
      </Link>
    ))}
  </nav>
)
