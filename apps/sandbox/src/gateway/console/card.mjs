// The card of the payment gateway.
import { addCard } from '../../console/cards.mjs'

addCard({
  id: 'gateway',
  name: 'Payment gateway',
  path: '/gateway',
  target: 'order, payment or notice',
  words: [
    'lost_reply_placed',
    'lost_reply_not_placed',
    'http_500',
    'http_500+placed',
    '429',
    'slow:5000',
    'lookup_blind:10',
    'conversion_delay:30',
    'payment_blocked',
    'exchange_failed',
    'false_total:1000',
    'false_payment:1000',
    'notice_lost',
    'notice_doubled',
    'notice_delayed:30',
    'notice_reordered',
    'notice_forged',
    'replay_notices',
  ],
  select: ({ gateway }) => gateway,
  facts: ({ orders, open }) => `${orders} orders, ${open} of them waiting for a payment.`,
})
