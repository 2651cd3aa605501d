// Texts of the first page of a merchant and of a partner.
export const overview = {
  overview: {
    title: 'Overview',
    volume: 'Volume',
    completedOf: 'Completed',
    /** Before the figure of that time; null: of chosen days. */
    before: (span: string | null) => (span === null ? 'period before:' : `previous ${span}:`),
    spot: 'Spot balance',
    earnings: 'Earnings balance',
    earningsNote: 'your fees, until you move them to spot',
    balance: 'Balance',
    span: 'Time',
    spans: {
      day: '24 hours',
      week: '7 days',
      month: '30 days',
      quarter: '90 days',
      year: '365 days',
    },
    completedTrades: 'completed',
    tradesInProgress: 'in progress',
    otherTrades: 'not completed',
    sum: (sum: string) => `${sum} in total.`,
    days: 'Choose days',
    daysOf: (first: string, last: string) =>
      last === '' ? `since ${first}` : first === last ? first : `${first} – ${last}`,
    firstDay: 'First day',
    lastDay: 'Last day (empty: until now)',
    daysHint: 'Days are UTC days: figures are kept by them. At most 366.',
    units: { day: 'UTC day', hour: 'UTC hour' },
    months: ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'],
    dayOf: (day: number, month: string) => `${month} ${day}`,
    hourOf: (hour: number) => `${String(hour).padStart(2, '0')}:00`,
    webhook: 'Webhooks',
    webhookNone: 'No endpoint yet: no events are sent.',
    webhookSet: 'Add an endpoint',
    webhookGood: 'No deliveries are failing.',
    webhookFailing: 'Deliveries have been failing since',
    webhookOff: 'The endpoint is disabled: nothing is delivered.',
    quickstart: 'Read the guide',
    steps: {
      title: 'First steps',
      lead: (variable: string) =>
        `The commands run in any terminal with curl, and read your key from the variable ${variable}. When you create a key, you also get the command that sets it.`,
      done: 'done',
      open: 'to do',
      key: 'Create an API key',
      keyHow: 'It is shown once, with the command that sets it in a terminal.',
      deposit: 'Deposit money',
      depositHow:
        'On the page, or in a terminal: the first command asks for a quote, the second one prints where to pay.',
      depositInSandbox: 'In the sandbox you then pay it in the console, in the tab “Gateway”.',
      webhook: 'Add a webhook endpoint',
      webhookHow:
        'Done when it answers an event or a test with 2xx. For a first try, this answers 200 to everything at http://127.0.0.1:4000, with Node.js. Its 2xx also approves withdrawals, so replace it before you move real money.',
      subUser: 'Create a sub-user',
      subUserHow: 'One for each of your customers, under your own id:',
      buy: 'Make your first purchase',
      buyHow:
        'Each item of the live market shows the command that buys it. Or: the first command lists what is for sale; put the id of an item and its price.standard into the second one, and set TRADE_URL to the trade URL of the buyer.',
      buyInSandbox:
        'Each item of the live market shows the command that buys it. Or: the first command lists what is for sale; put the id of an item and its price.standard into the second one. Its trade URL is that of a buyer of the sandbox.',
      passkey: 'Add a passkey',
      passkeyHow: 'Protects your login even if someone learns your password.',
      child: 'Create a child',
      transfer: 'Transfer money to a child',
      order: 'Place your first order',
      orderHow:
        'The first command lists what is for sale. Put the id, the price and the market of a listing into the second one, and set TRADE_URL to the trade URL of the buyer.',
      orderInSandbox:
        'The first command lists what is for sale. Put the id, the price and the market of a listing into the second one. Its trade URL is that of a buyer of the sandbox.',
    },
    ofMerchant: {
      fees: 'Fees earned',
      trades: 'Trades',
      volumeChart: 'Volume of completed trades',
      tradesChart: 'Trades created',
      byStatus: 'Trades by state',
      start: 'No trades in this period. A first purchase takes three calls.',
    },
    ofPartner: {
      fees: 'Your fees',
      trades: 'Orders',
      volumeChart: 'Volume of completed orders',
      tradesChart: 'Orders created',
      byStatus: 'Orders by state',
      begin: 'Create a child',
      start:
        'No orders in this period. A child buys with its key and the money that you transfer to it.',
    },
  },
}
