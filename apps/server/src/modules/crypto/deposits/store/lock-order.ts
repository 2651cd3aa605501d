/**
 * The order in which a commit for several deposits takes its locks, so that two of them never wait for each
 * other: by account, whose wallet it locks as well, then by deposit. `deposits.make_due` has the same one.
 */
export const inLockOrder = <Row extends { readonly accountId: string; readonly depositId: string }>(
  rows: readonly Row[],
): Row[] =>
  rows.toSorted(
    (one, other) =>
      compare(one.accountId, other.accountId) || compare(one.depositId, other.depositId),
  )

export const compare = (one: string, other: string): number =>
  one < other ? -1 : one > other ? 1 : 0
