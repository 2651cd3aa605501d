/** What a connection fails with, by the code of the system. */
const UNREACHABLE: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection cut',
  ENOTFOUND: 'its name has no address',
  EHOSTUNREACH: 'its address cannot be reached',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is signed by itself',
  'address not allowed': 'its address is not a public one',
}

/** Why a request to an endpoint was not answered. */
export const noAnswerFor = (why: string): string => UNREACHABLE[why] ?? `no answer: ${why}`
