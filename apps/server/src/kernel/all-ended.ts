/**
 * The results of works that run side by side, when the last has ended: also where one fails, so that none
 * goes on after its round. Throws the first failure.
 */
export async function allEnded<Result>(works: readonly Promise<Result>[]): Promise<Result[]> {
  const failed = (await Promise.allSettled(works)).find(({ status }) => status === 'rejected')
  if (failed?.status === 'rejected') throw failed.reason
  return Promise.all(works)
}
