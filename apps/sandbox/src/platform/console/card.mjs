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
    'status_2',
    'status_2_bare',
    'hold_empty',
    'hold_403',
    'my_hold',
    'hidden_items',
    '429:send',
    '429:web-api',
  ],
  select: ({ platform }) => platform,
  facts: () => 'Trade URLs, inventories, offers.',
})
