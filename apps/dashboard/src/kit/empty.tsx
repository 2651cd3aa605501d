import { texts } from '../texts/texts.ts'
import { Command } from './command.tsx'

/** What stands in the place of a list without rows: what will be there, and the command that makes it. */
export const Empty = ({ text, command }: { readonly text: string; readonly command: string }) => (
  <>
    <span>{text}</span>
    <Command value={command} what={texts.kit.command} />
  </>
)
