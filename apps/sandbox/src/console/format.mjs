// How the console writes numbers and times.

/** @param {string | number} amount a decimal in USD */
export function money(amount) {
  const [whole = '0', fraction = ''] = String(amount).split('.')
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',')
  const trimmed = fraction.replace(/0+$/, '').padEnd(2, '0')
  return `$${grouped}.${trimmed}`
}

/**
 * @param {string | null | undefined} iso
 * @param {number} nowMs the sandbox's own time
 */
export function ago(iso, nowMs) {
  if (!iso) return ''
  const seconds = Math.round((nowMs - Date.parse(iso)) / 1000)
  const text = span(Math.abs(seconds))
  return seconds >= 0 ? `${text} ago` : `in ${text}`
}

/** @param {number} seconds */
function span(seconds) {
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`
  if (seconds < 172_800) return `${Math.floor(seconds / 3600)} h`
  return `${Math.floor(seconds / 86_400)} d`
}

/**
 * The service's id of a deposit: providers know it without its dashes.
 * @param {string} text
 */
export function depositName(text) {
  const [, ...parts] = /^(.{8})(.{4})(.{4})(.{4})(.{12})$/.exec(text) ?? []
  return parts.length === 0 ? text : `deposit ${parts.join('-')}`
}

/** @param {string} market */
export function marketName(market) {
  return market.replace(/^market_(\w)$/, (_all, letter) => `Market ${letter.toUpperCase()}`)
}

/** A 64-bit platform id out of itself, a partner number, or a trade URL; null when it is none of them.
 * @param {string} text
 */
export function platformIdOf(text) {
  const plain = text.trim()
  if (/^\d{17}$/.test(plain)) return plain
  const partner = /[?&]partner=(\d{1,10})\b/.exec(plain)?.[1] ?? plain
  return /^\d{1,10}$/.test(partner) ? String(76_561_197_960_265_728n + BigInt(partner)) : null
}
