// Text that other people wrote: names, external ids, reasons, messages of other systems.
import type { ReactNode } from 'react'
import { visible } from '../texts/foreign.ts'

/** Stands apart from what surrounds it: its direction turns nothing else around, and what steers is seen. */
export const Text = ({ children }: { readonly children: string }) => <bdi>{visible(children)}</bdi>

/** The same of what a cell or a fact shows, where it is a text. */
export const asText = (shown: ReactNode): ReactNode =>
  typeof shown === 'string' ? <Text>{shown}</Text> : shown
