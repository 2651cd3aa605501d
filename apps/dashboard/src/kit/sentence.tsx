// A sentence of the service as a page shows it: its times in the zone of the reader, as all others of the page, and
// runbooks as links.
import { Fragment } from 'react'
import { WithRunbooks } from './runbook.tsx'
import { Time } from './time.tsx'

/** As the service writes times in sentences, in UTC. */
const TIME = /(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d) UTC/

export const Sentence = ({ children }: { readonly children: string }) =>
  children.split(TIME).map((part, i) =>
    i % 2 === 0 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: parts of one text
      <Fragment key={i}>
        <WithRunbooks>{part}</WithRunbooks>
      </Fragment>
    ) : (
      <Time key={part} at={`${part.replace(' ', 'T')}Z`} seconds />
    ),
  )
