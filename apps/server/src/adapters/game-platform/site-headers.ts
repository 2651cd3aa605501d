/**
 * What the community site expects of a client since July 2026: without the user agent of the platform's own
 * phone program and a language it answers 429, whatever the rate (node-steamcommunity issue 371). The page of
 * a trade offer also wants itself as the referer (node-steam-tradeoffer-manager pull request 370).
 */
export const SITE_HEADERS = {
  'user-agent': 'okhttp/4.9.2',
  'accept-language': 'en-US,en;q=0.9',
} as const
