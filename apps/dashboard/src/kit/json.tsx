import { isolated } from '../texts/foreign.ts'
import css from './json.module.css'

/** A value as indented text: always a text node, whatever it holds. */
export const Json = ({ value, label }: { readonly value: unknown; readonly label: string }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
  <section className={css.json} aria-label={label} tabIndex={0}>
    <pre>{shown(JSON.stringify(value, null, 2))}</pre>
  </section>
)

/** Each text of it apart from the signs around it. */
const shown = (json: string): string => json.replace(/"(?:[^"\\]|\\.)*"/g, isolated)
