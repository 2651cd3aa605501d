import { texts } from '../texts/texts.ts'
import { CopyId } from './copy.tsx'

/** What stands in the place of a list without rows: what will be there, and the command that makes it. */
export const Empty = ({ text, command }: { readonly text: string; readonly command: string }) => (
  <>
    <span>{text}</span>
    <CopyId value={command} what={texts.overview.steps.command} />
  </>
)
