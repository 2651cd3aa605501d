// What the market can be filtered by: the game's own words, which every language leaves as they are.

const same = (...names: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(names.map((name) => [name, name]))

export const ITEM_TYPES = same(
  ...['Rifle', 'Sniper Rifle', 'Pistol', 'SMG', 'Shotgun', 'Machinegun', 'Knife', 'Gloves'],
  ...['Equipment', 'Agent', 'Sticker', 'Charm', 'Patch', 'Graffiti', 'Music Kit', 'Collectible'],
  ...['Container', 'Tool', 'Pet'],
)

export const EXTERIORS = same(
  ...['Factory New', 'Minimal Wear', 'Field-Tested', 'Well-Worn', 'Battle-Scarred'],
)

export const RARITIES = same(
  ...['Consumer Grade', 'Industrial Grade', 'Mil-Spec Grade', 'Restricted', 'Classified', 'Covert'],
  ...['Extraordinary', 'Contraband', 'Base Grade', 'High Grade', 'Remarkable', 'Exotic'],
  ...['Distinguished', 'Exceptional', 'Superior', 'Master'],
)

export const PHASES = same(
  ...['Phase 1', 'Phase 2', 'Phase 3', 'Phase 4', 'Ruby', 'Sapphire', 'Black Pearl', 'Emerald'],
)
