// What makes a listing dearer than another one of the same wear: its phase, and what is attached to it, as pictures.
import type { MarketListing } from '@tradepost/contract'
import { Picture } from '../../kit/picture.tsx'
import { Text } from '../../kit/text.tsx'
import { texts } from '../../texts/texts.ts'
import css from './market.module.css'

const words = texts.merchant.market

export function Attachments({ listing }: { readonly listing: MarketListing }) {
  const { doppler, hardened, fade, stickers = [], charm } = listing
  const said = [doppler?.name, hardened?.name, fade && words.fade(fade.percentage)].filter(Boolean)
  const attached = [...stickers, ...(charm ? [charm] : [])]
  if (said.length + attached.length === 0) return null
  return (
    <span className={css.stickers}>
      {said.length > 0 && <Text>{said.join(', ')}</Text>}
      {attached.map(({ name, iconUrl }, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two stickers of a listing may be alike, and none is moved
        <span key={i} role="img" aria-label={name} title={name}>
          <Picture iconUrl={iconUrl} edge={32} />
        </span>
      ))}
    </span>
  )
}
