// Wear as a bar from 0 to 1: the part that the item can have, and where a listing is in it.
import { texts } from '../../texts/texts.ts'
import css from './market.module.css'

const words = texts.merchant.market

type Range = readonly [least: number, greatest: number]

const percent = (share: number): string => `${Math.round(share * 1000) / 10}%`

const partOf = ([least, greatest]: Range) => ({
  insetInlineStart: percent(least),
  insetInlineEnd: percent(1 - greatest),
})

export const WearRange = ({ range }: { readonly range: Range }) => (
  <span className={css.range}>
    <span className={css.wear}>
      <span style={partOf(range)} />
    </span>
    <small>
      {range[0]} – {range[1]}
    </small>
  </span>
)

/** Of a listing of an item; `wear` is a decimal text. */
export function WearBar({
  wear,
  range = [0, 1],
}: {
  readonly wear: string
  readonly range?: Range | undefined
}) {
  const [least, greatest] = range
  const share = greatest > least ? (Number(wear) - least) / (greatest - least) : 0
  return (
    <span className={css.range} title={words.wearOf(wear)}>
      <span>{wear.slice(0, SHOWN_DIGITS)}</span>
      <span className={css.wear} aria-hidden="true">
        <i style={{ insetInlineStart: percent(Math.min(1, Math.max(0, share))) }} />
      </span>
    </span>
  )
}

/** `0.1523456`: more tell no two listings apart. The title has all. */
const SHOWN_DIGITS = 9
