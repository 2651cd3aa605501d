// Writes docs/events.md from the contract's list of events; with --check it reports whether the file is
// up to date.
import { eventsPage, webhookEvents } from '@tradepost/contract'
import { writeOrCheck } from './generated.ts'

writeOrCheck({
  path: 'docs/events.md',
  content: eventsPage(webhookEvents),
  command: 'node tools/events-page.ts',
})
