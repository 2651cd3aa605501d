import { texts } from '../texts/texts.ts'
import css from './kit.module.css'
import { Time } from './time.tsx'

/** Until when what is shown has everything; nothing where it is as it is now. */
export const AsOf = ({ at }: { readonly at: string | undefined }) =>
  at !== undefined && (
    <p className={css.hint}>
      {texts.kit.asOf} <Time at={at} seconds />
    </p>
  )
