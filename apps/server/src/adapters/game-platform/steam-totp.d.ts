// The package brings no types of its own.
declare module 'steam-totp' {
  /** HMAC-SHA1 of the time and the tag under the identity secret, base64. Good for one use. */
  export function getConfirmationKey(
    identitySecret: string,
    timeSeconds: number,
    tag: string,
  ): string
  export function getDeviceID(platformId: string): string
}
