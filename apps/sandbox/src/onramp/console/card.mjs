// The card of the card on-ramp.
import { addCard } from '../../console/cards.mjs'

addCard({
  id: 'onramp',
  name: 'Card on-ramp',
  path: '/onramp',
  target: 'step',
  words: {
    'lookup_blind:10': 'now: look-ups show no orders for 10 seconds',
    'sends:1.00': 'a completed order sends only 1.00',
    'false_amount:1000000': 'a look-up shows a false amount',
    other_wallet: 'a look-up shows another wallet',
    notice_lost: 'the next notice is lost',
    notice_doubled: 'the next notice comes twice',
    'notice_delayed:30': 'the next notice comes 30 seconds late',
    notice_reordered: 'the next two notices come in the wrong order',
    notice_forged: 'the next notice has a wrong signature',
    replay_notices: 'now: all notices are sent again',
  },
  select: ({ onramp }) => onramp,
  summary: ({ orders, open }) =>
    `${orders} ${orders === 1 ? 'order' : 'orders'}, ${open} in progress.`,
})
