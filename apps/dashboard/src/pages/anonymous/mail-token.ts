/**
 * The token of a mail's link: behind the hash, so that no server and no log sees it when the page is
 * loaded.
 */
export const mailToken = (): string =>
  new URLSearchParams(window.location.hash.slice(1)).get('token') ?? ''
