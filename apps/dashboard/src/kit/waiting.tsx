import { texts } from '../texts/texts.ts'
import detail from './detail.module.css'
import { Columns } from './detail.tsx'
import list from './list/list.module.css'
import css from './waiting.module.css'

/** Of the size of what is being loaded, so that nothing moves when it is there. */
export const Waiting = ({ rows = 5 }: { readonly rows?: number }) => (
  <div className={list.skeleton} role="status" aria-label={texts.loading} data-loading>
    {Array.from({ length: rows }, (_, i) => `row-${i}`).map((key) => (
      <div key={key} className={list.bones}>
        <span />
        <span />
        <span />
      </div>
    ))}
  </div>
)

/** In the place of one value, as high as a line of its text. */
export const Bone = () => <span className={css.bone} data-loading />

/** In the place of details that are being loaded: as many lines. */
export const WaitingDetails = ({ count }: { readonly count: number }) => (
  <div className={detail.details} role="status" aria-label={texts.loading} data-loading>
    {Array.from({ length: count }, (_, i) => `fact-${i}`).map((key) => (
      <div key={key}>
        <Bone />
        <Bone />
      </div>
    ))}
  </div>
)

/** In the place of a page about one object: what happened to it on the left, its details on the right. */
export const WaitingDetail = ({ details = 8 }: { readonly details?: number }) => (
  <Columns aside={<WaitingDetails count={details} />}>
    <Waiting rows={6} />
  </Columns>
)
