// The card of the payment gateway.
import { addCard } from '../../console/cards.mjs'

addCard({
  id: 'gateway',
  name: 'Payment gateway',
  path: '/gateway',
  target: 'step',
  words: {
    lost_reply_placed: 'created, but the answer is lost',
    lost_reply_not_placed: 'not created, and the answer is lost',
    http_500: 'answers 500, not created',
    'http_500+placed': 'answers 500, but it was created',
    429: 'answers 429, too many calls',
    'slow:5000': 'answers 5 seconds late',
    'lookup_blind:10': 'now: look-ups show no orders for 10 seconds',
    'conversion_delay:30': 'the next payment is converted 30 seconds late',
    payment_blocked: 'the next payment is blocked',
    exchange_failed: 'the next conversion fails',
    'false_total:1000': 'a look-up shows a false total',
    'false_payment:1000': 'a look-up shows a false payment',
    notice_lost: 'the next notice is lost',
    notice_doubled: 'the next notice comes twice',
    'notice_delayed:30': 'the next notice comes 30 seconds late',
    notice_reordered: 'the next two notices come in the wrong order',
    notice_forged: 'the next notice has a wrong signature',
    replay_notices: 'now: all notices are sent again',
  },
  select: ({ gateway }) => gateway,
  summary: ({ orders, open }) =>
    `${orders} ${orders === 1 ? 'order' : 'orders'}, ${open} waiting for a payment.`,
})
