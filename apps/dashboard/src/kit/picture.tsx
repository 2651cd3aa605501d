// The picture of an item, from our own origin. Its square has its size from the start; while there is no picture, or
// none at all, the square is what one sees.
import { type PictureSize, pictureName } from '@tradepost/contract/picture-name'
import { type CSSProperties, useEffect, useState } from 'react'
import css from './picture.module.css'

interface PictureProps {
  readonly iconUrl: string | null | undefined
  /** In CSS pixels. */
  readonly edge: 24 | 32 | 40 | 48 | 128 | 192
}

/** What a worker fetches first is there after a moment: so long after each failure it is asked for again. */
const AGAIN_MS = [800, 1500, 3000, 6000, 12_000]

/** Says nothing to a screen reader: the name of the item stands beside it. */
export function Picture({ iconUrl, edge }: PictureProps) {
  const name = iconUrl ? pictureName(iconUrl) : null
  return (
    <span className={css.picture} style={{ '--edge': `${edge}px` } as CSSProperties} data-picture>
      {name !== null && <Loaded key={name} name={name} size={edge > 64 ? 256 : 64} />}
    </span>
  )
}

function Loaded({ name, size }: { readonly name: string; readonly size: PictureSize }) {
  const [failures, setFailures] = useState(0)
  const [isWaiting, setWaiting] = useState(false)
  const [isThere, setThere] = useState(false)
  useEffect(() => {
    if (!isWaiting) return
    const timer = setTimeout(() => setWaiting(false), AGAIN_MS[failures - 1])
    return () => clearTimeout(timer)
  }, [isWaiting, failures])
  if (failures > AGAIN_MS.length) return null
  if (isWaiting) return <i data-waiting />
  return (
    <img
      // Another element: a browser asks for a failed one no second time.
      key={failures}
      src={`/assets/items/${name}/${size}`}
      alt=""
      loading="lazy"
      decoding="async"
      data-there={isThere || undefined}
      onLoad={() => setThere(true)}
      onError={() => {
        setFailures(failures + 1)
        setWaiting(true)
      }}
    />
  )
}

/** A name with its picture before it. */
export const WithPicture = ({
  iconUrl,
  edge = 24,
  children,
}: Pick<PictureProps, 'iconUrl'> & {
  readonly edge?: PictureProps['edge']
  readonly children: React.ReactNode
}) => (
  <span className={css.named}>
    <Picture iconUrl={iconUrl} edge={edge} />
    <span className={css.name}>{children}</span>
  </span>
)
