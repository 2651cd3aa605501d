// Texts of the navigation.
export const nav = {
  nav: {
    label: 'Pages',
    menu: 'Menu',
    /** Headings of groups, in the order in which they are shown. */
    groups: {
      trading: 'Trading',
      money: 'Money',
      develop: 'Developers',
      account: 'Account',
      service: 'Service',
      records: 'Records',
    },
    overview: 'Overview',
    keys: 'API keys',
    webhook: 'Webhooks',
    login: 'Your login',
    team: 'Team',
    accounts: 'Accounts',
    health: 'Market health',
    find: 'Find',
    queues: 'Queues',
    cases: 'Cases',
    deliveries: 'Deliveries',
    switches: 'Switches',
    books: 'Books',
    auditLog: 'Audit log',
    docs: 'Documentation',
    theme: 'Theme',
    themes: { system: 'System', light: 'Light', dark: 'Dark' },
  },
}
