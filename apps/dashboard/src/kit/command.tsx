import css from './command.module.css'
import { CopyButton, type CopyButtonProps } from './copy.tsx'

/** A command to paste into a terminal, with a button that copies it. What is wider than its place scrolls. */
export const Command = (copied: CopyButtonProps) => (
  <div className={css.command}>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
    <pre tabIndex={0} onCopy={copied.onCopied}>
      <code>{copied.value}</code>
    </pre>
    <CopyButton {...copied} />
  </div>
)
