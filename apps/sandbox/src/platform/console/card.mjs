// The card of the game platform.
import { addCard } from '../../console/cards.mjs'

addCard({
  id: 'platform',
  name: 'Game platform',
  path: '/platform',
  target: 'offer of a bot',
  words: [
    'lost_reply_placed',
    'lost_reply_not_placed',
    'http_500',
    'http_500+placed',
    'reject:15',
    'session_lost',
    '429',
    'slow:5000',
    'end_sessions',
    'foreign_confirmation',
    'refuse_reads:3',
  ],
  select: ({ platform }) => platform,
  facts: () => 'Trade URLs, inventories, offers.',
})
