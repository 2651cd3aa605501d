// The card of the card on-ramp.
import { addCard } from '../../console/cards.mjs'

addCard({
  id: 'onramp',
  name: 'Card on-ramp',
  path: '/onramp',
  target: 'order, payment or notice',
  words: [
    'lookup_blind:10',
    'sends:1.00',
    'false_amount:1000000',
    'other_wallet',
    'notice_lost',
    'notice_doubled',
    'notice_delayed:30',
    'notice_reordered',
    'notice_forged',
    'replay_notices',
  ],
  select: ({ onramp }) => onramp,
  facts: ({ orders, open }) => `${orders} orders, ${open} of them under way.`,
})
