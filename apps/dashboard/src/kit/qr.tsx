import { encode } from 'uqr'
import css from './qr.module.css'

/** What the largest code holds, at the lowest correction. */
const MOST_BYTES = 2_953

/**
 * A QR code drawn as SVG nodes: the policy of the pages forbids markup from a text. Of a text that no code holds
 * there is none.
 */
export function QrCode({ text, label }: { readonly text: string; readonly label: string }) {
  if (new TextEncoder().encode(text).length > MOST_BYTES) return null
  const { data, size } = encode(text, { border: 2 })
  const path = data
    .flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')))
    .join('')
  return (
    <svg viewBox={`0 0 ${size} ${size}`} width="200" height="200" role="img" aria-label={label}>
      <rect width={size} height={size} className={css.light} />
      <path d={path} className={css.dark} shapeRendering="crispEdges" />
    </svg>
  )
}
