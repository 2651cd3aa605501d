// How a price compares, and the colour of a rarity.
import type { CSSProperties } from 'react'
import { locale, once, texts } from '../../texts/texts.ts'
import css from './market.module.css'

const words = texts.merchant.market

const percents = once(
  () =>
    new Intl.NumberFormat(locale, {
      ...{
        style: 'percent',
        minimumFractionDigits: 1,
        maximumFractionDigits: 1,
        signDisplay: 'exceptZero',
      },
    } as const),
)

/** By how much a price, with fees, is above or below the reference price; nothing without both. */
export function Beside({
  price,
  reference,
}: {
  readonly price: number | undefined
  readonly reference: number | null | undefined
}) {
  if (price === undefined || !reference) return null
  const share = price / reference - 1
  return (
    <span className={css.beside} data-below={share < 0 || undefined} title={words.besideHint}>
      {percents().format(share).replace('-', '\u2212')}
    </span>
  )
}

/** The colour that the game gives a rarity, for the edge of what shows the item. */
export const rarityStyle = (colour: string | undefined): CSSProperties | undefined =>
  colour !== undefined && /^[0-9a-f]{6}$/i.test(colour)
    ? ({ '--rarity': `#${colour}` } as CSSProperties)
    : undefined
