import { texts } from '../texts/en.ts'
import css from './list/list.module.css'

/** Of the size of what is being loaded, so that nothing moves when it is there. */
export const Waiting = ({ rows = 5 }: { readonly rows?: number }) => (
  <div className={css.skeleton} role="status" aria-label={texts.loading} data-loading>
    {Array.from({ length: rows }, (_, i) => `row-${i}`).map((key) => (
      <div key={key} className={css.bones}>
        <span />
        <span />
        <span />
      </div>
    ))}
  </div>
)
