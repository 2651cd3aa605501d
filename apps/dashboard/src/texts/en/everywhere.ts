// Texts that every page shares.
import type { DashboardRefusal } from '@tradepost/contract'

/** What the browser itself refuses, or what a route refuses for a narrower cause. */
type OwnKey =
  | 'LAST_OWNER'
  | 'MAIL_OFF'
  | 'FACTOR_OF_ADMINISTRATOR'
  | 'PASSKEY_NOT_USED'
  | 'PASSKEY_KNOWN'
  | 'PASSKEY_WRONG_SITE'

type RefusalKey = DashboardRefusal | OwnKey

const OF_SESSIONS = {
  INVALID_CREDENTIALS: 'Wrong email or password.',
  EMAIL_NOT_VERIFIED: 'Open the link in the email that we sent you, then log in.',
  PASSWORD_TOO_WEAK:
    'This password is too easy to guess: it is a common one, your email address, or a few repeated characters. Use several words.',
  TOKEN_INVALID: 'This link has expired or was already used. Request a new one.',
  TWO_FACTOR_REQUIRED: 'Your login uses two-factor authentication. Log in again and complete it.',
  TWO_FACTOR_INVALID: 'This code is wrong or was already used.',
  TWO_FACTOR_EXPIRED: 'This took too long. Start again.',
  TWO_FACTOR_FRESH_REQUIRED: 'Confirm with your second factor, then try again.',
  TWO_FACTOR_SETUP_REQUIRED:
    'Administrators need a second factor: set up an authenticator app or a passkey first, under “Security”. Codes by email are not enough.',
  TWO_FACTOR_ALREADY_ENABLED:
    'Two-factor codes are already on. Turn them off to set up another method.',
  TWO_FACTOR_NOT_ENABLED: 'Two-factor codes are already off.',
  FACTOR_OF_ADMINISTRATOR:
    'Only the operator of the service can remove an administrator’s second factor.',
  LAST_OWNER:
    'You are the last owner of an account. Make another member an owner first, or close the account.',
  ACCOUNT_HAS_FUNDS:
    'The account still holds money or has something in progress. Withdraw the balance, wait for what is in progress, then close it.',
  PASSKEY_NOT_USED: 'No passkey was used. Try again, or choose another way.',
  PASSKEY_KNOWN: 'This device already has a passkey for your login.',
  PASSKEY_WRONG_SITE:
    'Passkeys work only at the public address of the service: on this machine that is localhost, not 127.0.0.1.',
  CHAT_UNAVAILABLE:
    'The chat platform is not responding. Nothing was linked; try again in a minute.',
  CHAT_ACCOUNT_TAKEN: 'This chat account is linked to another login. Unlink it there first.',
  UNAUTHENTICATED: 'You were logged out. Nothing was changed.',
  SESSION_EXPIRED: 'You were logged out. Nothing was changed.',
  CSRF_TOKEN_INVALID: 'This page is out of date. Reload it, then try again.',
} as const

const OF_MONEY = {
  SPENDING_LIMIT_REACHED: 'This would exceed a spending limit. No money was moved.',
  INSUFFICIENT_BALANCE: 'The wallet does not hold enough for this. Nothing was moved.',
  IDEMPOTENCY_CONFLICT:
    'This form was already submitted with other values. Close it and check whether the first one went through.',
  GATEWAY_UNAVAILABLE:
    'The payment provider is not responding. Try again in a minute. If this payment method is not set up, ask the operator of the service.',
  DEPOSIT_NOT_FOUND: 'Deposit not found, or it belongs to another account.',
  DEPOSIT_NOT_CANCELLABLE:
    'A payment was detected or the deposit has ended, so it cannot be canceled.',
  DEPOSIT_AMOUNT_OUT_OF_RANGE: 'The amount is outside the limits of this payment method.',
  DEPOSIT_CHAIN_UNSUPPORTED: 'This currency is not supported on this chain. Choose another one.',
  QUOTE_INVALID: 'This quote was already used. Request a new one.',
  QUOTE_EXPIRED: 'This quote has expired. Request a new one.',
  CRYPTO_PAYOUT_NOT_FOUND: 'Withdrawal not found, or it belongs to another account.',
  CRYPTO_PAYOUT_DESTINATION_INVALID:
    'This address cannot receive the payment. Compare it with the original, including capital letters. If you allow only known destinations, it must have been on the list for 24 hours.',
  CRYPTO_PAYOUT_INSUFFICIENT_BALANCE:
    'Custody does not hold enough of this token on this chain. Nothing was reserved.',
  CRYPTO_PAYOUT_NO_CALLBACK_URL:
    'No endpoint can approve this withdrawal. Set or enable a webhook endpoint first.',
  CRYPTO_PAYOUT_CHAIN_UNSUPPORTED:
    'Payouts in this token on this chain are not available right now.',
  CRYPTO_PAYOUT_AMOUNT_OUT_OF_RANGE: 'A withdrawal must be between $1.00 and $100,000.00.',
} as const

const KEYS = {
  ...OF_SESSIONS,
  ...OF_MONEY,
  ACCOUNT_SUSPENDED: 'Your account is suspended: you can view everything and change nothing.',
  FORBIDDEN: 'Your role does not allow this.',
  RATE_LIMITED: 'Too many attempts. Wait a moment, then try again.',
  SERVICE_DISABLED:
    'This is paused, or the service is too busy. Nothing was done; try again in a few minutes. If this is not set up, ask the operator of the service.',
  MAIL_OFF:
    'This needs email, which is not set up here. Nothing was done; ask the operator of the service.',
  INTERNAL_ERROR:
    'Something went wrong on our side. If you were making a change, check whether it was saved before you try again.',
  NOT_FOUND: 'Not found, or it belongs to another account.',
  ITEM_NOT_FOUND: 'Item not found.',
  TRADEURL_REQUIRED: 'There is no trade URL to deliver to. Enter one here.',
  TRADEURL_INVALID_TOKEN: 'The game platform does not accept this trade URL.',
  PLATFORM_UNAVAILABLE: 'The game platform is not responding. Try again in a minute.',
  MARKET_ORDER_LIMIT_REACHED:
    'An account can have up to 200 open market orders, a merchant up to 5,000. Cancel one first.',
  MARKET_ORDER_NOT_FOUND: 'Market order not found, or it belongs to another account.',
  MARKET_ORDER_CLOSED: 'The market order is filled, canceled or expired.',
  TRADE_NOT_FOUND: 'Trade not found, or it belongs to another account.',
  USER_NOT_FOUND: 'User not found, or it belongs to another account.',
  USER_DELETED: 'A deleted sub-user had this external id. Choose another one.',
  EXTERNAL_ID_TAKEN: 'Another sub-user has or had this external id. Choose another one.',
  USER_HAS_FUNDS_OR_OPEN_TRADES:
    'The sub-user still holds money or has something in progress. Withdraw its funds, wait for what is in progress, then delete it.',
  WEBHOOK_LIMIT_REACHED: 'An account can have up to ten endpoints. Change or remove one first.',
  VALIDATION_FAILED: 'Check the highlighted fields.',
  BAD_REQUEST: 'The service could not read this request. Reload the page, then try again.',
} as const satisfies Record<RefusalKey, string>

export const everywhere = {
  product: 'Tradepost',
  skip: 'Skip to the content',
  loading: 'Loading…',
  readOnly:
    'View only: your role cannot change this. An owner can change your role on the page “Team”.',
  actions: {
    logIn: 'Log in',
    logOut: 'Log out',
    register: 'Register',
    cancel: 'Cancel',
    close: 'Close',
    retry: 'Try again',
    copy: 'Copy',
    copied: 'Copied',
    confirm: 'Confirm',
    save: 'Save',
    saved: 'Saved.',
    more: 'Load more',
  },
  accountSuspended:
    'This account is suspended: everything can be viewed and nothing changed. Its owners were notified by email.',
  tradingPaused:
    'Trading is paused: buys and sells are not accepted. Trades in progress, deposits and withdrawals continue. Paused since',
  look: {
    at: (name: string, reason: string) =>
      `You are viewing ${name} as an administrator and cannot change anything (${reason}). Until`,
    end: 'Back to administration',
  },
  errors: {
    title: 'Something went wrong',
    offline: 'Cannot reach the service. Check your connection, then try again.',
    feesTakeAll: (least: string | null) =>
      `The fees would use up this amount.${least === null ? '' : ` At current fees the minimum is ${least}.`}`,
    destinations: {
      malformed: 'An address is 0x followed by 40 hexadecimal digits.',
      checksum:
        'The checksum of this address is wrong. Compare it with the original, including capital letters.',
      zero_address: 'This is the zero address: anything sent there is lost.',
      token_contract: 'This is a token contract: anything sent there is lost.',
      own_address: 'This is an address of this service. Use an external one.',
      not_listed:
        'This address is not on your list of destinations, or was added less than 24 hours ago.',
    } as Readonly<Record<string, string>>,
    depositRange: (least: string, most: string) =>
      `With this payment method the amount must be between ${least} and ${most}, or the equivalent in your currency.`,
    setUpFactor: 'Set it up',
    logInAgain: 'Log in again',
    request: (key: string, id: string) => `${key}, request ${id}`,
    keys: KEYS as Readonly<Record<RefusalKey, string> & Partial<Record<string, string>>>,
  },
  notFound: {
    title: 'Page not found',
    text: (path: string) => `There is no page at ${path}.`,
    home: 'Go to the overview',
  },
}
