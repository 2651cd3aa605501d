/** A number as JSON-RPC wants it. */
export const toQuantity = (value: bigint | number): `0x${string}` => `0x${value.toString(16)}`
