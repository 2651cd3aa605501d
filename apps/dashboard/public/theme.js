// Before the first paint: the theme that was chosen, if any.
const theme = localStorage.getItem('tradepost-theme')
if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
