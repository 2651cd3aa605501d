import icon from '@tradepost/look/icon.svg'
import { texts } from '../texts/texts.ts'
import css from './brand.module.css'

/** The word mark: the name says all that the picture does. */
export const Brand = () => (
  <span className={css.brand}>
    <img src={icon} alt="" width="20" height="20" />
    {texts.product}
  </span>
)
