// The card of the game platform.
import { addCard } from '../../console/cards.mjs'

addCard({
  id: 'platform',
  name: 'Game platform',
  path: '/platform',
  target: 'offer of a bot',
  words: {
    lost_reply_placed: 'sent, but the answer is lost',
    lost_reply_not_placed: 'not sent, and the answer is lost',
    http_500: 'answers 500, not sent',
    'http_500+placed': 'answers 500, but it was sent',
    'reject:15': 'refused with code 15',
    session_lost: 'the session of the bot ends',
    429: 'answers 429, too many calls',
    'slow:5000': 'answers 5 seconds late',
    end_sessions: 'now: the sessions of all bots end',
    foreign_confirmation: 'now: a foreign offer waits for confirmation',
    'refuse_reads:3': 'now: the next 3 reads are answered 429',
    status_2: 'the trade stays at status 2, with new ids',
    status_2_bare: 'the trade stays at status 2, without ids',
    hold_empty: 'a question for holds is answered with nothing',
    hold_403: 'a question for holds is refused',
    my_hold: 'a hold of the bot’s own is shown',
    hidden_items: 'the next inventory shows no item',
    '429:send': 'the next send of a bot is answered 429',
    '429:web-api': 'the next call of the web API is answered 429',
  },
  select: ({ platform }) => platform,
  summary: () => 'Trade URLs, inventories, offers.',
})
