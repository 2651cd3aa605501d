// Runs before anything is drawn, so that a chosen theme does not flash. The dashboard has the same choice.
try {
  const theme = localStorage.getItem('tradepost-theme')
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
} catch {
  // Without storage the system's choice holds.
}
