// Facts of each message as they may come, for previews and tests.
import type { MailFacts } from './templates.ts'

const AT = '2026-11-21T09:30:00.000Z'
const LINK = 'https://tradepost.example/dashboard/verify-email#token=rZ3aYbKp8Q'

export const MAIL_SAMPLES: MailFacts = {
  verify_email: { link: LINK },
  reset_password: { link: LINK },
  reset_without_account: {},
  already_registered: { loginLink: 'https://tradepost.example/dashboard/login' },
  confirm_new_email: { link: LINK },
  email_change_asked: { newEmail: 'new@example.com', at: AT, address: '203.0.113.7' },
  email_changed: { newEmail: 'new@example.com', at: AT },
  login_deleted: { at: AT },
  login_code: { code: '482915', minutes: 10 },
  invitation: { link: LINK, invitedBy: 'owner@example.com', role: 'developer', days: 7 },
  new_login: { at: AT, address: '203.0.113.7', browser: 'Mozilla/5.0 (X11; Linux x86_64)' },
  password_changed: { at: AT, address: '203.0.113.7' },
  passkey_added: { name: 'laptop', at: AT },
  passkey_removed: { name: 'laptop', at: AT },
  factor_removal: { link: LINK, askedAt: AT, address: '203.0.113.7', removesAt: AT },
  factor_kept: { at: AT },
  factor_removed: { at: AT },
  chat_linked: { name: 'ada', at: AT },
  chat_unlinked: { name: 'ada', at: AT },
  authenticator_on: { at: AT },
  authenticator_off: { at: AT },
  mail_codes_on: { at: AT },
  mail_codes_off: { at: AT },
  key_created: { name: 'server', last4: 'x7Qp', at: AT },
  key_rotated: { name: 'server', last4: 'x7Qp', overlapHours: 24, at: AT },
  webhook_failing: { url: 'https://shop.example/hook', hours: 24, since: AT },
  webhook_disabled: { url: 'https://shop.example/hook', reason: 'no success for 72 hours' },
  withdrawal_waiting: {
    id: '019b2c3d-4e5f-7a6b-8c7d-9e0f1a2b3c4d',
    amount: '12500.00',
    destination: '0x52908400098527886E0F7030069857D2E4169EE7',
  },
  low_balance: { balance: '182.40', threshold: '250.00', currency: 'USD', at: AT },
  withdrawal_to_release: {
    id: '019b2c3d-4e5f-7a6b-8c7d-9e0f1a2b3c4d',
    amount: '12500.00',
    destination: '0x52908400098527886E0F7030069857D2E4169EE7',
    reason: 'over transaction limit',
  },
  destination_added: { address: '0x52908400098527886E0F7030069857D2E4169EE7', at: AT },
  payout_callback_set: { url: 'https://shop.example/approve', at: AT },
  member_left: { email: 'former@example.com', at: AT },
  account_closed: { name: 'Item Shop', at: AT },
  account_suspended: { reason: 'a chargeback is looked into', at: AT },
  account_reactivated: { at: AT },
}
