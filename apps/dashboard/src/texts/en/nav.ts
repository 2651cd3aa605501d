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
    },
    overview: 'Overview',
    keys: 'API keys',
    webhook: 'Webhooks',
    login: 'Your login',
    team: 'Team',
    accounts: 'Accounts',
    health: 'Market health',
    docs: 'Documentation',
    theme: 'Theme',
    themes: { system: 'System', light: 'Light', dark: 'Dark' },
  },
}
